/// Loops over the pixels of formats that no library here reads, into samples of 8 bits.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Where a component's bits are in a pixel's word: `shift` above the lowest one, as many as `mask` has. Its 8-bit value is
/// `(bits * scale + 32768) >> 16`.
struct pixel_field {
  uint32_t shift, mask, scale;
};

/// Splits words of `bytes` bytes (1 to 4) into three components, the samples of each `step` bytes from one another.
void pixels_split_words(const uint8_t *row, size_t count, size_t bytes, bool big_endian,
                        const struct pixel_field fields[3], uint8_t *first, uint8_t *second, uint8_t *third,
                        size_t step);

/// Keeps the upper 8 of `bits` bits (8 to 16), which are the lower ones of 16-bit words. Larger values count as the largest.
void pixels_narrow_words(const uint8_t *row, size_t count, unsigned bits, bool big_endian, uint8_t *to);

/// Keeps the upper 8 bits of samples that MIPI packs: `group` bytes have those of as many samples, then come the remaining bits of all of
/// them; `bytes` bytes in all.
void pixels_narrow_packed(const uint8_t *row, size_t count, size_t group, size_t bytes, uint8_t *to);

/// Copies 16-bit words, the most significant byte first.
void pixels_order_words(const uint8_t *row, size_t count, bool big_endian, uint8_t *to);

/// Unpacks whole samples that MIPI packs, as above, to 16-bit words, the most significant byte first.
void pixels_widen_packed(const uint8_t *row, size_t count, size_t group, size_t bytes, uint8_t *to);

/// Converts hue, saturation and value, the last three of a pixel's `bytes` bytes, to R G B. A turn of hue has `hues` steps, 180 or 256.
void pixels_rgb_of_hsv(const uint8_t *row, size_t count, size_t bytes, unsigned hues, uint8_t *rgb);
