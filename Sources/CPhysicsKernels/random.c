#include "CPhysicsKernels.h"

uint64_t physics_random(uint64_t *state) {
  uint64_t z = *state += 0x9E3779B97F4A7C15;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
  z = (z ^ z >> 27) * 0x94D049BB133111EB;
  return z ^ z >> 31;
}

void physics_random_bytes(uint64_t seed, uint8_t *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) bytes[i] = (uint8_t)physics_random(&seed);
}

// A sum of uniform numbers is near enough, and never far beyond what a byte holds: the sum of eight bytes has a deviation of 209.
void physics_noise(uint64_t seed, int8_t *values, size_t count) {
  for (size_t i = 0; i < count; i++) {
    uint64_t bits = physics_random(&seed);
    int sum = -1020;
    for (int byte = 0; byte < 8; byte++) sum += (int)(bits >> 8 * byte & 255);
    int value = sum * 32 / 209;
    values[i] = (int8_t)(value < -127 ? -127 : value > 127 ? 127 : value);
  }
}
