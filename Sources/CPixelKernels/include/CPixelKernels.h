/// Loops over pixels that no library has, written so that the compiler vectorizes them.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Takes a row of packed 4:2:2 apart and widens video range (luma 16…235, chroma 16…240) to the full range that JFIF means.
/// `width` is even. `luma_first`: Y C Y C, else C Y C Y. `first` and `second` get the two chroma samples in their order.
void pixels_unpack_422_video_range(const uint8_t *row, size_t width, bool luma_first, uint8_t *luma,
                                   uint8_t *first, uint8_t *second);

/// Widens luma from 16…235 to 0…255. `to` may be `from`.
void pixels_widen_luma(const uint8_t *from, uint8_t *to, size_t count);

/// Widens chroma from 16…240 to 0…255; 128 stays. `to` may be `from`.
void pixels_widen_chroma(const uint8_t *from, uint8_t *to, size_t count);

/// Interpolates a row of a Bayer mosaic to R G B X. `above` and `below` are its neighbours, mirrored at the picture's edge (the
/// same row twice, one row in). `width` is at least 2. `red`: the row has red, else blue; `green_first`: its first pixel is green.
void pixels_demosaic_row(const uint8_t *above, const uint8_t *row, const uint8_t *below, size_t width, bool red,
                         bool green_first, uint8_t *rgbx);
