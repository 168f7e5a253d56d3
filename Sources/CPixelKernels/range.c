#include "CPixelKernels.h"
#include "vectorized.h"

// Fixed point in 16 bits, the widest lanes that are worth it: (235 - 16) * 298 + 128 and (240 - 16) * 291 + 176 still fit.
// The roundings are chosen so that both ends are met and chroma 128 stays 128.
static inline uint8_t widen(uint16_t value, uint16_t top, uint16_t gain, uint16_t rounding) {
  value = value < top ? value : top;
  value = value > 16 ? (uint16_t)(value - 16) : 0;
  return (uint8_t)((uint16_t)(value * gain + rounding) >> 8);
}

static inline uint8_t widened_luma(uint16_t value) { return widen(value, 235, 298, 128); }
static inline uint8_t widened_chroma(uint16_t value) { return widen(value, 240, 291, 176); }

// Two neighbouring bytes, wherever they lie.
typedef uint16_t byte_pair __attribute__((aligned(1), may_alias));

// Both passes of a piece stay in the first-level cache.
enum { PIECE = 4096 };

VECTORIZED
static void unpack_piece(const byte_pair *restrict pixels, size_t width, bool luma_first, uint8_t *restrict luma,
                         uint8_t *restrict first, uint8_t *restrict second) {
  _Alignas(64) uint8_t chroma[PIECE];
  if (luma_first) {
    for (size_t i = 0; i < width; i++) {
      luma[i] = widened_luma(pixels[i] & 0xFF);
      chroma[i] = widened_chroma(pixels[i] >> 8);
    }
  } else {
    for (size_t i = 0; i < width; i++) {
      luma[i] = widened_luma(pixels[i] >> 8);
      chroma[i] = widened_chroma(pixels[i] & 0xFF);
    }
  }
  const byte_pair *pairs = (const byte_pair *)chroma;
  for (size_t i = 0; i < width / 2; i++) {
    first[i] = (uint8_t)pairs[i];
    second[i] = (uint8_t)(pairs[i] >> 8);
  }
}

void pixels_unpack_422_video_range(const uint8_t *row, size_t width, bool luma_first, uint8_t *luma,
                                   uint8_t *first, uint8_t *second) {
  for (size_t done = 0; done < width; done += PIECE) {
    size_t count = width - done < PIECE ? width - done : PIECE;
    unpack_piece((const byte_pair *)(row + 2 * done), count, luma_first, luma + done,
                 first + done / 2, second + done / 2);
  }
}

VECTORIZED
void pixels_widen_luma(const uint8_t *from, uint8_t *to, size_t count) {
  for (size_t i = 0; i < count; i++) to[i] = widened_luma(from[i]);
}

VECTORIZED
void pixels_widen_chroma(const uint8_t *from, uint8_t *to, size_t count) {
  for (size_t i = 0; i < count; i++) to[i] = widened_chroma(from[i]);
}
