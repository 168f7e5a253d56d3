#include "CPixelKernels.h"

// Steps in bytes from the source pixel of a target pixel to those of its right and lower neighbours.
static inline void turn_tile(const uint8_t *from, ptrdiff_t right, ptrdiff_t down, uint8_t *to, size_t stride,
                             size_t width, size_t height, size_t bytes) {
  for (size_t y = 0; y < height; y++) {
    const uint8_t *pixel = from + (ptrdiff_t)y * down;
    uint8_t *row = to + y * stride;
    for (size_t x = 0; x < width; x++, pixel += right) {
      for (size_t i = 0; i < bytes; i++) *row++ = pixel[i];
    }
  }
}

void pixels_turn(const uint8_t *from, ptrdiff_t right, ptrdiff_t down, uint8_t *to, size_t stride, size_t width,
                 size_t height, size_t bytes) {
  // Both the rows read and those written stay in the cache for the length of a tile.
  enum { TILE = 32 };
  for (size_t y = 0; y < height; y += TILE) {
    for (size_t x = 0; x < width; x += TILE) {
      size_t columns = width - x < TILE ? width - x : TILE, rows = height - y < TILE ? height - y : TILE;
      const uint8_t *source = from + (ptrdiff_t)x * right + (ptrdiff_t)y * down;
      uint8_t *target = to + y * stride + x * bytes;
      if (bytes == 3) {
        turn_tile(source, right, down, target, stride, columns, rows, 3);
      } else {
        turn_tile(source, right, down, target, stride, columns, rows, 4);
      }
    }
  }
}

void pixels_halve_row(const uint8_t *from, uint8_t *to, size_t count) {
  for (size_t i = 0; i < count; i++) to[i] = (uint8_t)((from[2 * i] + from[2 * i + 1] + 1) / 2);
}
