#include "CPixelKernels.h"
#include "vectorized.h"

// Fixed point in 16 bits, the widest lanes that are worth it: samples are in 1/128, gains in 1/16384, and the upper half of a product in 1/32.
// Each product of a sample loses half a 32nd by that; the rounding of the sum makes up for it.
enum { ROUNDING = 17, FRACTION = 5 };

static inline int16_t times(int16_t sample, int16_t gain) { return (int16_t)(((int32_t)sample * gain) >> 16); }

static inline uint8_t rounded(int16_t sum) {
  int16_t value = (int16_t)((int16_t)(sum + ROUNDING) >> FRACTION);
  value = value > 0 ? value : 0;
  return (uint8_t)(value < 255 ? value : 255);
}

static inline int16_t centred(uint8_t chroma) { return (int16_t)((chroma - 128) * 128); }

static inline uint8_t converted_chroma(int16_t u, int16_t v, int16_t of_u, int16_t of_v) {
  return rounded((int16_t)(times(u, of_u) + times(v, of_v) + (128 << FRACTION)));
}

// Both passes of a piece stay in the first-level cache.
enum { PIECE = 4096 };

// Luma's terms of chroma, each for one luma sample or, `doubled`, for two.
VECTORIZED
static void luma_terms(const uint8_t *restrict u, const uint8_t *restrict v, size_t count, bool doubled,
                       const struct ycbcr_matrix *matrix, int16_t *restrict terms) {
  const int16_t of_u = matrix->luma_u, of_v = matrix->luma_v;
  if (doubled) {
    for (size_t i = 0; i < count; i++) {
      int16_t term = (int16_t)(times(centred(u[i]), of_u) + times(centred(v[i]), of_v));
      terms[2 * i] = term;
      terms[2 * i + 1] = term;
    }
  } else {
    for (size_t i = 0; i < count; i++) {
      terms[i] = (int16_t)(times(centred(u[i]), of_u) + times(centred(v[i]), of_v));
    }
  }
}

VECTORIZED
static void convert_luma(const uint8_t *restrict luma, const int16_t *restrict terms, size_t count,
                         const struct ycbcr_matrix *matrix, uint8_t *restrict to) {
  const int16_t offset = matrix->luma_offset, gain = matrix->luma;
  for (size_t i = 0; i < count; i++) {
    to[i] = rounded((int16_t)(times((int16_t)((luma[i] - offset) * 128), gain) + terms[i]));
  }
}

VECTORIZED
static void convert_chroma(const uint8_t *restrict u, const uint8_t *restrict v, size_t count,
                           const struct ycbcr_matrix *matrix, uint8_t *restrict to_u, uint8_t *restrict to_v) {
  const int16_t u_u = matrix->u_u, u_v = matrix->u_v, v_u = matrix->v_u, v_v = matrix->v_v;
  for (size_t i = 0; i < count; i++) {
    int16_t blue = centred(u[i]), red = centred(v[i]);
    to_u[i] = converted_chroma(blue, red, u_u, u_v);
    to_v[i] = converted_chroma(blue, red, v_u, v_v);
  }
}

void pixels_convert_ycbcr(const uint8_t *luma, const uint8_t *u, const uint8_t *v, size_t width, unsigned shift,
                          const struct ycbcr_matrix *matrix, uint8_t *to_luma, uint8_t *to_u, uint8_t *to_v) {
  _Alignas(64) int16_t terms[PIECE];
  for (size_t done = 0; done < width; done += PIECE) {
    size_t count = width - done < PIECE ? width - done : PIECE, first = done >> shift;
    size_t pairs = (count + (1U << shift) - 1) >> shift;
    luma_terms(u + first, v + first, pairs, shift == 1, matrix, terms);
    convert_luma(luma + done, terms, count, matrix, to_luma + done);
    if (to_u) convert_chroma(u + first, v + first, pairs, matrix, to_u + first, to_v + first);
  }
}

// Two neighbouring bytes, wherever they lie.
typedef uint16_t byte_pair __attribute__((aligned(1), may_alias));

VECTORIZED
static void split_piece(const byte_pair *restrict pixels, size_t width, bool luma_first, uint8_t *restrict luma,
                        uint8_t *restrict first, uint8_t *restrict second) {
  _Alignas(64) uint8_t chroma[PIECE];
  if (luma_first) {
    for (size_t i = 0; i < width; i++) {
      luma[i] = (uint8_t)(pixels[i] & 0xFF);
      chroma[i] = (uint8_t)(pixels[i] >> 8);
    }
  } else {
    for (size_t i = 0; i < width; i++) {
      luma[i] = (uint8_t)(pixels[i] >> 8);
      chroma[i] = (uint8_t)(pixels[i] & 0xFF);
    }
  }
  const byte_pair *pairs = (const byte_pair *)chroma;
  for (size_t i = 0; i < width / 2; i++) {
    first[i] = (uint8_t)pairs[i];
    second[i] = (uint8_t)(pairs[i] >> 8);
  }
}

void pixels_unpack_422_ycbcr(const uint8_t *row, size_t width, bool luma_first, bool u_first,
                             const struct ycbcr_matrix *matrix, uint8_t *to_luma, uint8_t *to_u, uint8_t *to_v) {
  _Alignas(64) uint8_t luma[PIECE], first[PIECE / 2], second[PIECE / 2];
  for (size_t done = 0; done < width; done += PIECE) {
    size_t count = width - done < PIECE ? width - done : PIECE;
    split_piece((const byte_pair *)(row + 2 * done), count, luma_first, luma, first, second);
    pixels_convert_ycbcr(luma, u_first ? first : second, u_first ? second : first, count, 1, matrix, to_luma + done,
                         to_u + done / 2, to_v + done / 2);
  }
}

static inline int limited(int level) { return level < 0 ? 0 : level < LIGHT_LEVELS ? level : LIGHT_LEVELS - 1; }

void pixels_constant_luminance(const uint8_t *luma, const uint8_t *u, const uint8_t *v, size_t width, unsigned shift,
                               const struct constant_luminance *table, uint8_t *rgbx) {
  for (size_t i = 0; i < width; i++, rgbx += 4) {
    int level = table->luma[luma[i]];
    int red = limited(level + table->red[v[i >> shift]]), blue = limited(level + table->blue[u[i >> shift]]);
    float green = table->green_of_luminance * table->light[limited(level)] - table->green_of_red * table->light[red] -
                  table->green_of_blue * table->light[blue];
    green = green < 0 ? 0 : green < 1 ? green : 1;
    rgbx[0] = table->sample[red];
    rgbx[1] = table->sample_of_light[(int)(green * (SAMPLED_LIGHTS - 1) + 0.5F)];
    rgbx[2] = table->sample[blue];
    rgbx[3] = 255;
  }
}
