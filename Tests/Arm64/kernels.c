// Runs the project's own loops over pixels on recorded bytes, and prints a checksum of what each makes. The same lines on every processor.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CPhysicsKernels.h"
#include "CPixelKernels.h"

enum { WIDTH = 1022, ROWS = 64, BYTES = WIDTH * ROWS };

static uint8_t source[8 * BYTES], made[8 * BYTES];

static void tell(const char *name, const void *data, size_t count) {
  uint64_t hash = 0xcbf29ce484222325;
  for (size_t i = 0; i < count; i++) hash = (hash ^ ((const uint8_t *)data)[i]) * 0x100000001b3;
  printf("%s %016llx\n", name, (unsigned long long)hash);
  memset(made, 0, sizeof made);
}

// Sums may be added in any order, so that vectors can: four digits are the same.
static void tell_sums(const char *name, const struct pixel_sums *zones) {
  for (int zone = 0; zone < 5; zone++)
    printf("%s %.4g %.4g %.4g %.4g %.4g %g %g %g\n", name, zones[zone].luma, zones[zone].luminance, zones[zone].red, zones[zone].green, zones[zone].blue,
           zones[zone].usable, zones[zone].black, zones[zone].white);
}

static void pixels(void) {
  struct pixel_field fields[3] = {{11, 31, 0x10841}, {5, 63, 0x8208}, {0, 31, 0x10841}};
  for (int order = 0; order < 2; order++) {
    pixels_split_words(source, WIDTH, 2, order, fields, made, made + BYTES, made + 2 * BYTES, 1);
    tell("split_words", made, 3 * BYTES);
    pixels_narrow_words(source, WIDTH, 10 + 2 * order, order, made);
    tell("narrow_words", made, WIDTH);
    pixels_order_words(source, WIDTH, order, made);
    tell("order_words", made, 2 * WIDTH);
    pixels_unpack_422_video_range(source, WIDTH, order, made, made + BYTES, made + 2 * BYTES);
    tell("unpack_422_video_range", made, 3 * BYTES);
    struct ycbcr_matrix matrix = {-16 * 64, 9535, 0, -1234, 16384, 777, -888, 16000};
    pixels_unpack_422_ycbcr(source, WIDTH, order, !order, &matrix, made, made + BYTES, made + 2 * BYTES);
    tell("unpack_422_ycbcr", made, 3 * BYTES);
    pixels_convert_ycbcr(source, source + BYTES, source + 2 * BYTES, WIDTH, order, &matrix, made, made + BYTES, made + 2 * BYTES);
    tell("convert_ycbcr", made, 3 * BYTES);
    pixels_demosaic_row(source, source + WIDTH, source + 2 * WIDTH, WIDTH, order, !order, made);
    tell("demosaic_row", made, 4 * WIDTH);
    pixels_rgb_of_hsv(source, WIDTH, 3 + order, order ? 256 : 180, made);
    tell("rgb_of_hsv", made, 3 * WIDTH);
    struct color_conversion conversion = {-16, 1.164f, 1.596f, -0.392f, -0.813f, 2.017f};
    struct pixel_sums sums[5] = {0};
    pixels_sum_yuv(source, source + BYTES, source + 2 * BYTES, WIDTH, order, &conversion, 5, sums);
    tell_sums("sum_yuv", sums);
  }
  for (size_t bits = 5; bits < 7; bits++) {
    pixels_narrow_packed(source, 1000, 4, bits, made);
    tell("narrow_packed", made, WIDTH);
    pixels_widen_packed(source, 1000, 4, bits, made);
    tell("widen_packed", made, 2 * WIDTH);
  }
  pixels_widen_luma(source, made, BYTES);
  tell("widen_luma", made, BYTES);
  pixels_widen_chroma(source, made, BYTES);
  tell("widen_chroma", made, BYTES);
  for (size_t bytes = 3; bytes < 5; bytes++) {
    struct pixel_sums sums[5] = {0};
    pixels_sum_rgb(source, WIDTH, bytes, 0, 1, 2, 5, sums);
    tell_sums("sum_rgb", sums);
    pixels_luma_of_rgb(source, WIDTH, bytes, 2, 1, 0, made);
    tell("luma_of_rgb", made, WIDTH);
    pixels_turn(source, (ptrdiff_t)bytes * WIDTH, bytes, made, bytes * ROWS, ROWS, WIDTH, bytes);
    tell("turn", made, bytes * BYTES);
    pixels_order_bgra(source, WIDTH, 0, 1, 2, made);
    tell("order_bgra", made, 4 * WIDTH);
  }
  uint64_t zones[5] = {0};
  pixels_sum_gradient(source, source + WIDTH, source + 2 * WIDTH, WIDTH, 5, zones);
  tell("sum_gradient", zones, sizeof zones);
  pixels_halve_row(source, made, WIDTH / 2);
  tell("halve_row", made, WIDTH);
  static struct constant_luminance table;
  for (int i = 0; i < 256; i++) table.luma[i] = 16 * i, table.blue[i] = 8 * (i - 128), table.red[i] = 7 * (i - 128);
  for (int i = 0; i < LIGHT_LEVELS; i++) table.light[i] = (float)i / LIGHT_LEVELS, table.sample[i] = i / 16;
  for (int i = 0; i < SAMPLED_LIGHTS; i++) table.sample_of_light[i] = i / 16;
  table.green_of_luminance = 1.475f, table.green_of_red = 0.387f, table.green_of_blue = 0.0875f;
  pixels_constant_luminance(source, source + BYTES, source + 2 * BYTES, WIDTH, 1, &table, made);
  tell("constant_luminance", made, 4 * WIDTH);
}

static void physics(void) {
  static int8_t noise[BYTES];
  static float light[3 * WIDTH], scratch[BYTES + WIDTH];
  static uint16_t ink[BYTES], cover[BYTES], blurred[BYTES];
  physics_noise(7, noise, BYTES);
  tell("noise", noise, sizeof noise);
  for (int pattern = 0; pattern < 5; pattern++) {
    physics_surface surface = {pattern, 0.9f, 0.7f, 0.043f, pattern & 1, source};
    for (int row = 0; row < ROWS; row++)
      physics_paint_surface(&surface, -0.05f, row * 0.01f, 0.0009f, WIDTH, ink + row * WIDTH, cover + row * WIDTH);
    tell("paint_surface", ink, sizeof ink);
    tell("cover", cover, sizeof cover);
  }
  static float cells[2][24];
  for (int pattern = 0; pattern < 5; pattern++) {
    physics_surface surface = {pattern, 0.9f, 0.7f, 0.043f, pattern & 1, source};
    physics_sum_surface(&surface, 0.15f, 3, 6, 4, cells[0], cells[1]);
    tell("sum_surface", cells, sizeof cells);
  }
  physics_blur(ink, blurred, WIDTH, ROWS, 2.3f, scratch);
  tell("blur", blurred, sizeof blurred);
  float paper[3] = {0.9f, 0.85f, 0.8f}, dark[3] = {0.05f, 0.06f, 0.07f};
  physics_cover_row(ink, blurred, cover, cover, 0.37f, WIDTH, paper, dark, light, light + WIDTH, light + 2 * WIDTH);
  tell("cover_row", light, sizeof light);
  static int32_t index[WIDTH];
  static float weight[WIDTH];
  for (int i = 0; i < WIDTH; i++) index[i] = i / 3, weight[i] = (float)(i % 3) / 3;
  physics_magnify_row(light, light + WIDTH, 0.3f, index, weight, WIDTH, scratch);
  tell("magnify_row", scratch, WIDTH * sizeof *scratch);
  physics_sensor sensor = {1.3f, 0.002f, 0.0001f, 1, {1.9f, 1, 1.6f}};
  static uint8_t curve[physics_curve_count];
  for (int i = 0; i < physics_curve_count; i++) curve[i] = i / 16;
  for (int color = 0; color < 3; color++) {
    physics_expose_row(light + color * WIDTH, noise, WIDTH, &sensor, color, curve, made);
    tell("expose_row", made, WIDTH);
  }
  physics_luma_row(source, source + BYTES, source + 2 * BYTES, WIDTH, made);
  tell("luma_row", made, WIDTH);
  physics_yuyv_row(source, source + BYTES, source + 2 * BYTES, WIDTH, made);
  tell("yuyv_row", made, 2 * WIDTH);
}

int main(void) {
  uint64_t state = 42, number = physics_random(&state);
  tell("random", &number, sizeof number);
  physics_random_bytes(42, source, sizeof source);
  tell("random_bytes", source, sizeof source);
  pixels();
  physics();
  return 0;
}
