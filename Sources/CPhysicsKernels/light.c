#include "CPhysicsKernels.h"
#include "vectorized.h"

VECTORIZED
static void replace_row(const uint16_t *restrict sharp, const uint16_t *restrict soft, float blend, size_t count,
                        const float *paper, const float *ink, float *restrict red, float *restrict green,
                        float *restrict blue) {
  float scale = 1.0f / 65535;
  float slope[3] = {(ink[0] - paper[0]) * scale, (ink[1] - paper[1]) * scale, (ink[2] - paper[2]) * scale};
  float base[3] = {paper[0], paper[1], paper[2]};
  for (size_t i = 0; i < count; i++) {
    float part = sharp[i] + blend * ((float)soft[i] - sharp[i]);
    red[i] = base[0] + part * slope[0];
    green[i] = base[1] + part * slope[1];
    blue[i] = base[2] + part * slope[2];
  }
}

VECTORIZED
static void blend_row(const uint16_t *restrict sharp_ink, const uint16_t *restrict soft_ink,
                      const uint16_t *restrict sharp_cover, const uint16_t *restrict soft_cover, float blend,
                      size_t count, const float *paper, const float *ink, float *restrict red, float *restrict green,
                      float *restrict blue) {
  float scale = 1.0f / 65535;
  float slope[3] = {(ink[0] - paper[0]) * scale, (ink[1] - paper[1]) * scale, (ink[2] - paper[2]) * scale};
  float base[3] = {paper[0], paper[1], paper[2]};
  for (size_t i = 0; i < count; i++) {
    float part = sharp_ink[i] + blend * ((float)soft_ink[i] - sharp_ink[i]);
    float cover = (sharp_cover[i] + blend * ((float)soft_cover[i] - sharp_cover[i])) * scale;
    red[i] += cover * (base[0] - red[i]) + part * slope[0];
    green[i] += cover * (base[1] - green[i]) + part * slope[1];
    blue[i] += cover * (base[2] - blue[i]) + part * slope[2];
  }
}

void physics_cover_row(const uint16_t *sharp_ink, const uint16_t *soft_ink, const uint16_t *sharp_cover,
                       const uint16_t *soft_cover, float blend, size_t count, const float paper[3], const float ink[3],
                       float *red, float *green, float *blue) {
  if (sharp_cover) {
    blend_row(sharp_ink, soft_ink, sharp_cover, soft_cover, blend, count, paper, ink, red, green, blue);
  } else {
    replace_row(sharp_ink, soft_ink, blend, count, paper, ink, red, green, blue);
  }
}

void physics_magnify_row(const float *upper, const float *lower, float below, const int32_t *index, const float *weight,
                         size_t count, float *to) {
  for (size_t i = 0; i < count; i++) {
    int32_t at = index[i];
    float left = upper[at] + below * (lower[at] - upper[at]);
    float right = upper[at + 1] + below * (lower[at + 1] - upper[at + 1]);
    to[i] = left + weight[i] * (right - left);
  }
}
