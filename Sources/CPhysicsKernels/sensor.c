#include "CPhysicsKernels.h"
#include "vectorized.h"

// Pieces of a row stay in the first-level cache.
enum { PIECE = 1024 };

VECTORIZED
static void measure(const float *restrict light, const int8_t *restrict noise, size_t count, float exposure, float shot,
                    float read, float saturation, float gain, uint16_t *restrict levels) {
  float end = physics_curve_count - 1;
  float scale = gain * end;
  for (size_t i = 0; i < count; i++) {
    float signal = light[i] * exposure;
    signal += noise[i] * __builtin_elementwise_sqrt(shot * signal + read);
    signal = signal < saturation ? signal : saturation;
    float level = signal * scale + 0.5f;
    level = level > 0 ? level : 0;
    level = level < end ? level : end;
    levels[i] = (uint16_t)(int32_t)level;
  }
}

void physics_expose_row(const float *light, const int8_t *noise, size_t count, const physics_sensor *sensor, int color,
                        const uint8_t *curve, uint8_t *to) {
  uint16_t levels[PIECE];
  // Tables of noise count in 32nds of a deviation.
  float scale = 1.0f / (32 * 32);
  for (size_t done = 0; done < count; done += PIECE) {
    size_t part = count - done < PIECE ? count - done : PIECE;
    measure(light + done, noise + done, part, sensor->exposure, sensor->shot * scale, sensor->read * scale,
            sensor->saturation, sensor->gains[color], levels);
    for (size_t i = 0; i < part; i++) to[done + i] = curve[levels[i]];
  }
}

VECTORIZED
void physics_luma_row(const uint8_t *restrict red, const uint8_t *restrict green, const uint8_t *restrict blue,
                      size_t count, uint8_t *restrict luma) {
  for (size_t i = 0; i < count; i++) {
    uint16_t sum = (uint16_t)(66 * red[i] + 129 * green[i] + 25 * blue[i] + 128);
    luma[i] = (uint8_t)((sum >> 8) + 16);
  }
}

VECTORIZED
static void chroma_row(const uint8_t *restrict red, const uint8_t *restrict green, const uint8_t *restrict blue,
                       size_t pairs, uint8_t *restrict u, uint8_t *restrict v) {
  for (size_t i = 0; i < pairs; i++) {
    int16_t r = (int16_t)(red[2 * i] + red[2 * i + 1]);
    int16_t g = (int16_t)(green[2 * i] + green[2 * i + 1]);
    int16_t b = (int16_t)(blue[2 * i] + blue[2 * i + 1]);
    u[i] = (uint8_t)(((-38 * r - 74 * g + 112 * b + 256) >> 9) + 128);
    v[i] = (uint8_t)(((112 * r - 94 * g - 18 * b + 256) >> 9) + 128);
  }
}

VECTORIZED
static void interleave(const uint8_t *restrict luma, const uint8_t *restrict u, const uint8_t *restrict v, size_t pairs,
                       uint8_t *restrict yuyv) {
  for (size_t i = 0; i < pairs; i++) {
    yuyv[4 * i] = luma[2 * i];
    yuyv[4 * i + 1] = u[i];
    yuyv[4 * i + 2] = luma[2 * i + 1];
    yuyv[4 * i + 3] = v[i];
  }
}

void physics_yuyv_row(const uint8_t *red, const uint8_t *green, const uint8_t *blue, size_t count, uint8_t *yuyv) {
  uint8_t luma[PIECE], u[PIECE / 2], v[PIECE / 2];
  for (size_t done = 0; done < count; done += PIECE) {
    size_t part = count - done < PIECE ? count - done : PIECE;
    physics_luma_row(red + done, green + done, blue + done, part, luma);
    chroma_row(red + done, green + done, blue + done, part / 2, u, v);
    interleave(luma, u, v, part / 2, yuyv + 2 * done);
  }
}
