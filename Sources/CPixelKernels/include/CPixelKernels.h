/// Loops over pixels that no library has, written so that the compiler vectorizes them.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CFormatKernels.h"

/// Splits a row of packed 4:2:2 and widens video range (luma 16…235, chroma 16…240) to JFIF's full range.
/// `width` is even. `luma_first`: Y C Y C, else C Y C Y. `first` and `second` get the two chroma samples in their order.
void pixels_unpack_422_video_range(const uint8_t *row, size_t width, bool luma_first, uint8_t *luma,
                                   uint8_t *first, uint8_t *second);

/// Widens luma from 16…235 to 0…255. `to` may be `from`.
void pixels_widen_luma(const uint8_t *from, uint8_t *to, size_t count);

/// Widens chroma from 16…240 to 0…255; 128 stays. `to` may be `from`.
void pixels_widen_chroma(const uint8_t *from, uint8_t *to, size_t count);

/// Converts a camera's Y'CbCr to JFIF's. With U and V for Cb - 128 and Cr - 128, luma is `luma * (Y - luma_offset) + luma_u * U + luma_v * V`,
/// Cb is `128 + u_u * U + u_v * V`, and Cr is `128 + v_u * U + v_v * V`. Gains are in 1/16384, below 2. The results for a picture's luma and chroma fit in -512…511.
struct ycbcr_matrix {
  int16_t luma_offset, luma;
  int16_t luma_u, luma_v, u_u, u_v, v_u, v_v;
};

/// Converts a row of planes: `width` luma samples, and chroma samples of which each belongs to `1 << shift` of them (0 or 1), the last one
/// perhaps to fewer. `to_u` and `to_v` may be null: then only luma is converted. Source and target must differ.
void pixels_convert_ycbcr(const uint8_t *luma, const uint8_t *u, const uint8_t *v, size_t width, unsigned shift,
                          const struct ycbcr_matrix *matrix, uint8_t *to_luma, uint8_t *to_u, uint8_t *to_v);

/// Splits a row of packed 4:2:2 and converts it. `width` is even. `luma_first`: Y C Y C, else C Y C Y; `u_first`: Cb before Cr.
void pixels_unpack_422_ycbcr(const uint8_t *row, size_t width, bool luma_first, bool u_first,
                             const struct ycbcr_matrix *matrix, uint8_t *luma, uint8_t *u, uint8_t *v);

/// The number of steps between black and white, and between dark and bright.
enum { LIGHT_LEVELS = 4096, SAMPLED_LIGHTS = 4096 };

/// Tables for BT.2020 with constant luminance, whose luma stands for light.
struct constant_luminance {
  /// The levels of luma's samples, and what chroma's samples add to them for blue and red.
  int16_t luma[256], blue[256], red[256];
  /// The light of a level, 0…1.
  float light[LIGHT_LEVELS];
  /// The sample of a level.
  uint8_t sample[LIGHT_LEVELS];
  /// The sample of light, which goes from 0 to 1 in `SAMPLED_LIGHTS` steps.
  uint8_t sample_of_light[SAMPLED_LIGHTS];
  /// Green's light is `green_of_luminance` times the luminance, minus `green_of_red` times red's light and `green_of_blue` times blue's.
  float green_of_luminance, green_of_red, green_of_blue;
};

/// Makes R G B X of a row of planes of BT.2020 with constant luminance; its samples as in ``pixels_convert_ycbcr``.
void pixels_constant_luminance(const uint8_t *luma, const uint8_t *u, const uint8_t *v, size_t width, unsigned shift,
                               const struct constant_luminance *table, uint8_t *rgbx);

/// Interpolates a row of a Bayer mosaic to R G B X. `above` and `below` are its neighbours, mirrored at the picture's edge (the
/// same row twice, one row in). `width` is at least 2. `red`: the row has red, else blue; `green_first`: its first pixel is green.
void pixels_demosaic_row(const uint8_t *above, const uint8_t *row, const uint8_t *below, size_t width, bool red,
                         bool green_first, uint8_t *rgbx);

/// Sums over pixels of a zone; samples as fractions of the full range.
struct pixel_sums {
  double luma;
  /// Luma made proportional to light.
  double luminance;
  /// Sums over the usable pixels: those that are neither black nor white.
  double red, green, blue;
  /// Numbers of pixels.
  double usable, black, white;
};

/// Converts a frame's samples to colours: luma is `y_gain * (Y - y_offset)`, and a channel is luma plus its terms of `C - 128`.
struct color_conversion {
  float y_offset, y_gain;
  float red_v, green_u, green_v, blue_u;
};

/// Adds a row to each of `columns` zones that part it equally. `count` chroma samples, each with `1 << shift` luma samples (0 or 1)
/// beside it; `u` and `v` are null where there is no colour.
void pixels_sum_yuv(const uint8_t *luma, const uint8_t *u, const uint8_t *v, size_t count, unsigned shift,
                    const struct color_conversion *conversion, size_t columns, struct pixel_sums *zones);

/// The same for a row of `count` pixels of `bytes` bytes, whose colours are at `red`, `green` and `blue` in them.
void pixels_sum_rgb(const uint8_t *row, size_t count, size_t bytes, size_t red, size_t green, size_t blue,
                    size_t columns, struct pixel_sums *zones);

/// Adds the squares of `row`'s gradient (Sobel's operator: eight times the slope a pixel) to each of `columns` zones that part its
/// `width` samples equally. The first and last sample of the row do not count.
void pixels_sum_gradient(const uint8_t *above, const uint8_t *row, const uint8_t *below, size_t width,
                         size_t columns, uint64_t *zones);

/// Luma (BT.601, full range) of a row of `count` pixels of `bytes` bytes, whose colours are at `red`, `green` and `blue` in them.
void pixels_luma_of_rgb(const uint8_t *row, size_t count, size_t bytes, size_t red, size_t green, size_t blue,
                        uint8_t *luma);

/// Copies pixels of `bytes` bytes (3 or 4) in another order: `from` is the source of the target's first pixel, `right` and `down` are the bytes
/// from a source pixel to those of the target's right and lower neighbour.
void pixels_turn(const uint8_t *from, ptrdiff_t right, ptrdiff_t down, uint8_t *to, size_t stride, size_t width,
                 size_t height, size_t bytes);

/// Replaces two neighbours by their mean, rounded up: `2 * count` samples become `count`.
void pixels_halve_row(const uint8_t *from, uint8_t *to, size_t count);

/// Brings pixels of four bytes, whose colours are at `red`, `green` and `blue` in them, into the order B G R A with alpha 255.
void pixels_order_bgra(const uint8_t *row, size_t count, size_t red, size_t green, size_t blue, uint8_t *bgra);
