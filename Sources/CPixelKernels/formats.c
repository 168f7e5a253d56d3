#include "CFormatKernels.h"
#include "vectorized.h"

static inline uint32_t word(const uint8_t *at, size_t bytes, bool big_endian) {
  uint32_t value = 0;
  for (size_t i = 0; i < bytes; i++) value |= (uint32_t)at[i] << 8 * (big_endian ? bytes - 1 - i : i);
  return value;
}

static inline uint8_t component(uint32_t word, struct pixel_field field) {
  return (uint8_t)(((word >> field.shift & field.mask) * field.scale + 32768) >> 16);
}

// Inlined with `bytes` and `big_endian` known.
static inline __attribute__((always_inline)) void split(const uint8_t *row, size_t count, size_t bytes,
                                                        bool big_endian, const struct pixel_field *fields,
                                                        uint8_t *first, uint8_t *second, uint8_t *third,
                                                        size_t step) {
  struct pixel_field a = fields[0], b = fields[1], c = fields[2];
  for (size_t i = 0; i < count; i++) {
    uint32_t value = word(row + i * bytes, bytes, big_endian);
    first[i * step] = component(value, a);
    second[i * step] = component(value, b);
    third[i * step] = component(value, c);
  }
}

void pixels_split_words(const uint8_t *row, size_t count, size_t bytes, bool big_endian,
                        const struct pixel_field fields[3], uint8_t *first, uint8_t *second, uint8_t *third,
                        size_t step) {
  switch (bytes) {
    case 1: return split(row, count, 1, false, fields, first, second, third, step);
    case 2:
      return big_endian ? split(row, count, 2, true, fields, first, second, third, step)
                        : split(row, count, 2, false, fields, first, second, third, step);
    case 3: return split(row, count, 3, false, fields, first, second, third, step);
    default:
      return big_endian ? split(row, count, 4, true, fields, first, second, third, step)
                        : split(row, count, 4, false, fields, first, second, third, step);
  }
}

VECTORIZED
void pixels_narrow_words(const uint8_t *row, size_t count, unsigned bits, bool big_endian, uint8_t *to) {
  uint32_t most = (1u << bits) - 1;
  size_t low = big_endian ? 1 : 0, high = 1 - low;
  for (size_t i = 0; i < count; i++) {
    uint32_t value = (uint32_t)row[2 * i + low] | (uint32_t)row[2 * i + high] << 8;
    value = value < most ? value : most;
    to[i] = (uint8_t)(value >> (bits - 8));
  }
}

void pixels_narrow_packed(const uint8_t *row, size_t count, size_t group, size_t bytes, uint8_t *to) {
  for (size_t i = 0; i < count; row += bytes) {
    for (size_t j = 0; j < group && i < count; j++) to[i++] = row[j];
  }
}

VECTORIZED
void pixels_order_words(const uint8_t *row, size_t count, bool big_endian, uint8_t *to) {
  size_t low = big_endian ? 1 : 0, high = 1 - low;
  for (size_t i = 0; i < count; i++) {
    to[2 * i] = row[2 * i + high];
    to[2 * i + 1] = row[2 * i + low];
  }
}

void pixels_widen_packed(const uint8_t *row, size_t count, size_t group, size_t bytes, uint8_t *to) {
  size_t bits = (bytes - group) * 8 / group;
  uint32_t mask = (1u << bits) - 1;
  for (size_t i = 0; i < count; row += bytes) {
    uint32_t rest = 0;
    for (size_t j = group; j < bytes; j++) rest |= (uint32_t)row[j] << 8 * (j - group);
    for (size_t j = 0; j < group && i < count; j++, i++) {
      uint32_t value = (uint32_t)row[j] << bits | (rest >> j * bits & mask);
      to[2 * i] = (uint8_t)(value >> 8);
      to[2 * i + 1] = (uint8_t)value;
    }
  }
}

void pixels_rgb_of_hsv(const uint8_t *row, size_t count, size_t bytes, unsigned hues, uint8_t *rgb) {
  for (size_t i = 0; i < count; i++) {
    const uint8_t *pixel = row + i * bytes + (bytes - 3);
    // The hue in 1/1536 of a turn: 256 steps for each sixth.
    uint32_t hue = (uint32_t)(pixel[0] % hues) * 1536 / hues, saturation = pixel[1], value = pixel[2];
    uint32_t part = hue % 256;
    uint8_t none = (uint8_t)((value * (255 - saturation) + 127) / 255);
    uint8_t falling = (uint8_t)((value * (65280 - saturation * part) + 32640) / 65280);
    uint8_t rising = (uint8_t)((value * (65280 - saturation * (256 - part)) + 32640) / 65280);
    uint8_t most = (uint8_t)value, *to = rgb + 3 * i;
    switch (hue / 256) {
      case 0: to[0] = most, to[1] = rising, to[2] = none; break;
      case 1: to[0] = falling, to[1] = most, to[2] = none; break;
      case 2: to[0] = none, to[1] = most, to[2] = rising; break;
      case 3: to[0] = none, to[1] = falling, to[2] = most; break;
      case 4: to[0] = rising, to[1] = none, to[2] = most; break;
      default: to[0] = most, to[1] = none, to[2] = falling; break;
    }
  }
}
