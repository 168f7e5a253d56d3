#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A picture and what a PNG says of it. libpng reports errors by `longjmp`, which Swift must not see: this is all of libpng that Swift uses.
struct png_picture {
  const uint8_t *pixels;  // red, green and blue, or grey; a byte each
  size_t stride;
  uint32_t width, height;
  bool is_grey;
  bool is_srgb;
  const uint8_t *exif;  // a TIFF, for the chunk eXIf; NULL: none
  size_t exif_count;
  const char *xmp;      // for the chunk iTXt that XMP goes into; NULL: none
};

/// Writes a PNG into `target`. Returns its bytes; 0: it failed, and `message` says why.
size_t png_file_write(const struct png_picture *picture, uint8_t *target, size_t capacity, char message[128]);

/// The most bytes that a PNG of that picture can have.
size_t png_file_bound(const struct png_picture *picture);

/// Reads a PNG, and adds each of its pixels to one of `width` x `height` in `sums`: red, green, blue, and how many pixels these are of. `row`: memory for
/// one of its rows as red, green and blue. Returns whether it could; an interlaced one it does not read.
bool png_file_sum(
    const uint8_t *bytes, size_t count, uint32_t *sums, uint32_t width, uint32_t height, uint8_t *row,
    size_t row_capacity);
