#include "CPixelKernels.h"

// `own` is the index in R G B X of the colour that this row has besides green, and `other` that of the one that it lacks.
static inline void demosaic_pixel(const uint8_t *above, const uint8_t *row, const uint8_t *below, size_t left,
                                  size_t x, size_t right, bool green, int own, uint8_t *pixel) {
  int other = 2 - own;
  if (green) {
    pixel[own] = (uint8_t)((row[left] + row[right] + 1) / 2);
    pixel[1] = row[x];
    pixel[other] = (uint8_t)((above[x] + below[x] + 1) / 2);
  } else {
    pixel[own] = row[x];
    pixel[1] = (uint8_t)((row[left] + row[right] + above[x] + below[x] + 2) / 4);
    pixel[other] = (uint8_t)((above[left] + above[right] + below[left] + below[right] + 2) / 4);
  }
  pixel[3] = 255;
}

void pixels_demosaic_row(const uint8_t *above, const uint8_t *row, const uint8_t *below, size_t width, bool red,
                         bool green_first, uint8_t *rgbx) {
  int own = red ? 0 : 2;
  demosaic_pixel(above, row, below, 1, 0, 1, green_first, own, rgbx);
  bool green = !green_first;
  for (size_t x = 1; x + 1 < width; x++, green = !green) {
    demosaic_pixel(above, row, below, x - 1, x, x + 1, green, own, rgbx + 4 * x);
  }
  demosaic_pixel(above, row, below, width - 2, width - 1, width - 2, green, own, rgbx + 4 * (width - 1));
}
