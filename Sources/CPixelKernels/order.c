#include "CPixelKernels.h"
#include "vectorized.h"

// A pixel's word wherever it lies; its first byte is the lowest.
typedef uint32_t pixel_word __attribute__((aligned(1), may_alias));

VECTORIZED
void pixels_order_bgra(const uint8_t *row, size_t count, size_t red, size_t green, size_t blue, uint8_t *bgra) {
  const pixel_word *from = (const pixel_word *)row;
  pixel_word *to = (pixel_word *)bgra;
  uint32_t red_bits = 8 * (uint32_t)red, green_bits = 8 * (uint32_t)green, blue_bits = 8 * (uint32_t)blue;
  for (size_t i = 0; i < count; i++) {
    to[i] = (from[i] >> blue_bits & 0xFF) | (from[i] >> green_bits & 0xFF) << 8 | (from[i] >> red_bits & 0xFF) << 16 |
            0xFF000000;
  }
}
