#include "CPixelKernels.h"
#include "vectorized.h"

// Sums may be added in any order, which vectors need.
#pragma clang fp reassociate(on) contract(fast)

// A channel above the first value says only "at least so much", and one below the second is only noise.
static const float WHITE = 0.98F, BLACK = 0.02F;

// sRGB's curve to 0.2 %. The cubic is cheaper than a table, in which vectors cannot look values up.
static inline float light(float value) {
  value = value > 0 ? value : 0;
  return value * (value * (value * 0.305306011F + 0.682171111F) + 0.012522878F);
}

static inline float largest(float a, float b, float c) {
  float most = a > b ? a : b;
  return most > c ? most : c;
}

struct float_sums { float luma, luminance, red, green, blue, usable, black, white; };

static inline void add_pixel(struct float_sums *sums, float luma, float red, float green, float blue) {
  float white = largest(red, green, blue) >= WHITE ? 1 : 0;
  float black = luma <= BLACK ? 1 : 0;
  float usable = (1 - white) * (1 - black);
  sums->luma += luma;
  sums->luminance += light(luma);
  sums->red += usable * light(red);
  sums->green += usable * light(green);
  sums->blue += usable * light(blue);
  sums->usable += usable;
  sums->black += black;
  sums->white += white;
}

static inline void add_sums(struct pixel_sums *zone, const struct float_sums *sums) {
  zone->luma += sums->luma;
  zone->luminance += sums->luminance;
  zone->red += sums->red;
  zone->green += sums->green;
  zone->blue += sums->blue;
  zone->usable += sums->usable;
  zone->black += sums->black;
  zone->white += sums->white;
}

static inline void add_yuv(struct float_sums *sums, float sample, float u, float v,
                           const struct color_conversion *to) {
  float luma = to->y_gain * (sample - to->y_offset);
  add_pixel(sums, luma, luma + to->red_v * v, luma + to->green_u * u + to->green_v * v,
            luma + to->blue_u * u);
}

VECTORIZED
void pixels_sum_yuv(const uint8_t *luma, const uint8_t *u, const uint8_t *v, size_t count, unsigned shift,
                    const struct color_conversion *conversion, size_t columns, struct pixel_sums *zones) {
  const struct color_conversion to = *conversion;
  for (size_t zone = 0; zone < columns; zone++) {
    struct float_sums sums = {0};
    size_t first = zone * count / columns, end = (zone + 1) * count / columns;
    if (!u) {
      for (size_t i = first; i < end; i++) add_yuv(&sums, luma[i], 0, 0, &to);
    } else if (shift == 0) {
      for (size_t i = first; i < end; i++) add_yuv(&sums, luma[i], (float)(u[i] - 128), (float)(v[i] - 128), &to);
    } else {
      for (size_t i = first; i < end; i++) {
        float mean = (float)(luma[2 * i] + luma[2 * i + 1]) * 0.5F;
        add_yuv(&sums, mean, (float)(u[i] - 128), (float)(v[i] - 128), &to);
      }
    }
    add_sums(&zones[zone], &sums);
  }
}

void pixels_sum_rgb(const uint8_t *row, size_t count, size_t bytes, size_t red, size_t green, size_t blue,
                    size_t columns, struct pixel_sums *zones) {
  for (size_t zone = 0; zone < columns; zone++) {
    struct float_sums sums = {0};
    for (size_t i = zone * count / columns; i < (zone + 1) * count / columns; i++) {
      const uint8_t *pixel = row + i * bytes;
      float r = (float)pixel[red] / 255, g = (float)pixel[green] / 255, b = (float)pixel[blue] / 255;
      add_pixel(&sums, 0.299F * r + 0.587F * g + 0.114F * b, r, g, b);
    }
    add_sums(&zones[zone], &sums);
  }
}

VECTORIZED
void pixels_sum_gradient(const uint8_t *above, const uint8_t *row, const uint8_t *below, size_t width,
                         size_t columns, uint64_t *zones) {
  for (size_t zone = 0; zone < columns; zone++) {
    size_t first = zone * width / columns, end = (zone + 1) * width / columns;
    first = first > 0 ? first : 1;
    end = end < width ? end : width - 1;
    // A square is at most 2 * 1020 * 1020; a thousand of them fit, and zones are wider in the largest pictures only.
    for (size_t piece = first; piece < end; piece += 1024) {
      size_t stop = piece + 1024 < end ? piece + 1024 : end;
      uint32_t sum = 0;
      for (size_t i = piece; i < stop; i++) {
        int16_t left = (int16_t)(above[i - 1] + 2 * row[i - 1] + below[i - 1]);
        int16_t right = (int16_t)(above[i + 1] + 2 * row[i + 1] + below[i + 1]);
        int16_t top = (int16_t)(above[i - 1] + 2 * above[i] + above[i + 1]);
        int16_t bottom = (int16_t)(below[i - 1] + 2 * below[i] + below[i + 1]);
        int16_t x = (int16_t)(right - left), y = (int16_t)(bottom - top);
        sum += (uint32_t)(x * x) + (uint32_t)(y * y);
      }
      zones[zone] += sum;
    }
  }
}

void pixels_luma_of_rgb(const uint8_t *row, size_t count, size_t bytes, size_t red, size_t green, size_t blue,
                        uint8_t *luma) {
  for (size_t i = 0; i < count; i++, row += bytes) {
    luma[i] = (uint8_t)((77 * row[red] + 150 * row[green] + 29 * row[blue] + 128) >> 8);
  }
}
