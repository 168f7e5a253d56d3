#include "png_file.h"

#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

struct target {
  uint8_t *bytes;
  size_t capacity;
  size_t count;
  char *message;
};

static void fail(png_structp png, png_const_charp text) {
  struct target *target = png_get_error_ptr(png);
  snprintf(target->message, 128, "%s", text);
  png_longjmp(png, 1);
}

// libpng warns of what it writes nevertheless.
static void ignore(png_structp png, png_const_charp text) {
  (void)png;
  (void)text;
}

static void append(png_structp png, png_bytep bytes, size_t count) {
  struct target *target = png_get_io_ptr(png);
  if (count > target->capacity - target->count) png_error(png, "the PNG is larger than it can be");
  memcpy(target->bytes + target->count, bytes, count);
  target->count += count;
}

static void flush(png_structp png) { (void)png; }

size_t png_file_bound(const struct png_picture *picture) {
  size_t row = (size_t)picture->width * (picture->is_grey ? 1 : 3) + 1;
  size_t pixels = row * picture->height;
  size_t xmp = picture->xmp ? strlen(picture->xmp) : 0;
  // What deflate cannot compress grows by less than a thousandth; each chunk IDAT of 8 KB has 12 bytes besides.
  return pixels + pixels / 256 + picture->exif_count + xmp + 65536;
}

size_t png_file_write(const struct png_picture *picture, uint8_t *bytes, size_t capacity, char message[128]) {
  struct target target = {bytes, capacity, 0, message};
  message[0] = 0;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &target, fail, ignore);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  if (!info) {
    png_destroy_write_struct(&png, NULL);
    snprintf(message, 128, "no memory");
    return 0;
  }
  if (setjmp(png_jmpbuf(png))) {
    png_destroy_write_struct(&png, &info);
    return 0;
  }
  png_set_write_fn(png, &target, append, flush);
  png_set_IHDR(
      png, info, picture->width, picture->height, 8, picture->is_grey ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB,
      PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  // One filter and a low level: a third of the time of libpng's own choice, for files that are some per cent larger.
  png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB);
  png_set_compression_level(png, 2);
  if (picture->is_srgb) png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  if (picture->exif) png_set_eXIf_1(png, info, (png_uint_32)picture->exif_count, (png_bytep)picture->exif);
  if (picture->xmp) {
    png_text text = {
        .compression = PNG_ITXT_COMPRESSION_NONE, .key = "XML:com.adobe.xmp", .text = (png_charp)picture->xmp,
        .itxt_length = strlen(picture->xmp), .lang = "", .lang_key = ""};
    png_set_text(png, info, &text, 1);
  }
  png_write_info(png, info);
  for (uint32_t y = 0; y < picture->height; y++) png_write_row(png, picture->pixels + y * picture->stride);
  // With `info` libpng 1.6.39 would write eXIf once more.
  png_write_end(png, NULL);
  png_destroy_write_struct(&png, &info);
  return target.count;
}

struct source {
  const uint8_t *bytes;
  size_t count;
};

// libpng wants a message to be kept somewhere; a picture without a thumbnail needs none.
static void leave(png_structp png, png_const_charp text) {
  (void)text;
  png_longjmp(png, 1);
}

static void take(png_structp png, png_bytep target, size_t count) {
  struct source *source = png_get_io_ptr(png);
  if (count > source->count) png_error(png, "truncated");
  memcpy(target, source->bytes, count);
  source->bytes += count;
  source->count -= count;
}

bool png_file_sum(
    const uint8_t *bytes, size_t count, uint32_t *sums, uint32_t width, uint32_t height, uint8_t *row,
    size_t row_capacity) {
  struct source source = {bytes, count};
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, leave, ignore);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  if (!info) {
    png_destroy_read_struct(&png, NULL, NULL);
    return false;
  }
  if (setjmp(png_jmpbuf(png))) {
    png_destroy_read_struct(&png, &info, NULL);
    return false;
  }
  png_set_read_fn(png, &source, take);
  png_read_info(png, info);
  png_set_expand(png);
  png_set_scale_16(png);
  png_set_strip_alpha(png);
  png_set_gray_to_rgb(png);
  png_read_update_info(png, info);
  uint32_t columns = png_get_image_width(png, info), rows = png_get_image_height(png, info);
  // The rows of an interlaced one do not come one after the other.
  if (png_get_interlace_type(png, info) != PNG_INTERLACE_NONE || png_get_rowbytes(png, info) != (size_t)columns * 3 ||
      (size_t)columns * 3 > row_capacity)
    png_error(png, "not read here");
  for (uint32_t y = 0; y < rows; y++) {
    png_read_row(png, row, NULL);
    uint32_t *target = sums + (uint64_t)y * height / rows * width * 4;
    for (uint32_t x = 0; x < columns; x++) {
      uint32_t *pixel = target + (uint64_t)x * width / columns * 4;
      for (int channel = 0; channel < 3; channel++) pixel[channel] += row[x * 3 + channel];
      pixel[3]++;
    }
  }
  png_destroy_read_struct(&png, &info, NULL);
  return true;
}
