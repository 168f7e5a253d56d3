#include "CPhysicsKernels.h"
#include "vectorized.h"

#include <math.h>
#include <string.h>

enum { REACH = 512 };

// Half of a Gaussian, its middle first, cut at three deviations; the whole sums to 1.
static size_t gaussian(float deviation, float *weights) {
  size_t reach = (size_t)ceilf(3 * deviation);
  if (reach > REACH) reach = REACH;
  float sum = 0;
  for (size_t i = 0; i <= reach; i++) {
    weights[i] = expf(-0.5f * (float)(i * i) / (deviation * deviation));
    sum += i == 0 ? weights[i] : 2 * weights[i];
  }
  for (size_t i = 0; i <= reach; i++) weights[i] /= sum;
  return reach;
}

VECTORIZED
static void add_scaled(const float *restrict a, const float *restrict b, float weight, size_t count,
                       float *restrict sum) {
  for (size_t i = 0; i < count; i++) sum[i] += weight * (a[i] + b[i]);
}

VECTORIZED
static void scaled(const float *restrict from, float weight, size_t count, float *restrict to) {
  for (size_t i = 0; i < count; i++) to[i] = weight * from[i];
}

VECTORIZED
static void widened(const uint16_t *restrict from, size_t count, float *restrict to) {
  for (size_t i = 0; i < count; i++) to[i] = from[i];
}

VECTORIZED
static void narrowed(const float *restrict from, size_t count, uint16_t *restrict to) {
  for (size_t i = 0; i < count; i++) to[i] = (uint16_t)(int32_t)(from[i] + 0.5f);
}

enum { WIDTH = 4096 };

void physics_blur(const uint16_t *from, uint16_t *to, size_t width, size_t height, float deviation, float *scratch) {
  float weights[REACH + 1];
  size_t reach = gaussian(deviation, weights);
  float line[WIDTH + 2 * REACH];
  for (size_t y = 0; y < height; y++) {
    widened(from + y * width, width, line + reach);
    for (size_t i = 0; i < reach; i++) {
      line[i] = line[reach];
      line[reach + width + i] = line[reach + width - 1];
    }
    float *row = scratch + y * width;
    scaled(line + reach, weights[0], width, row);
    for (size_t i = 1; i <= reach; i++) {
      add_scaled(line + reach - i, line + reach + i, weights[i], width, row);
    }
  }
  float *sum = scratch + width * height;
  for (size_t y = 0; y < height; y++) {
    scaled(scratch + y * width, weights[0], width, sum);
    for (size_t i = 1; i <= reach; i++) {
      size_t above = y >= i ? y - i : 0, below = y + i < height ? y + i : height - 1;
      add_scaled(scratch + above * width, scratch + below * width, weights[i], width, sum);
    }
    narrowed(sum, width, to + y * width);
  }
}
