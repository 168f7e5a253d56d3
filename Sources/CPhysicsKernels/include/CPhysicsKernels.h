/// Loops of the camera with physics: they paint its scene, blur it, and turn light into its sensor's values.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// The next random number of a sequence (splitmix64); the same sequence from the same state.
uint64_t physics_random(uint64_t *state);
void physics_random_bytes(uint64_t seed, uint8_t *bytes, size_t count);
/// Numbers of a normal distribution; 32 is a deviation.
void physics_noise(uint64_t seed, int8_t *values, size_t count);

/// The pattern on a surface.
typedef enum {
  physics_pattern_bricks,
  physics_pattern_camouflage,
  physics_pattern_checker,
  physics_pattern_patches,
  physics_pattern_print,
} physics_pattern;

/// A surface: a rectangle, or a disc in it, covered with a pattern. Lengths are in heights of the unzoomed picture.
typedef struct {
  physics_pattern pattern;
  float width, height;
  /// The size of a check, a brick or a line of print.
  float pitch;
  int is_disc;
  /// 256 x 256 random bytes.
  const uint8_t *tile;
} physics_surface;

/// Columns and rows of the patches of ``physics_pattern_patches``, and the part of its width and height that is a border.
enum { physics_patch_columns = 3, physics_patch_rows = 2 };
extern const float physics_patch_border;
/// How much of each patch is ink, row by row.
extern const float physics_patch_levels[physics_patch_columns * physics_patch_rows];

/// Paints `count` pixels of a row: how much of each is ink, and how much the surface covers at all; 65535 is all of it. Ink is
/// premultiplied by cover. The first pixel's middle is at `x`, `y` of the surface, the next one `step` to its right.
void physics_paint_surface(const physics_surface *surface, float x, float y, float step, size_t count,
                           uint16_t *ink, uint16_t *cover);

/// The mean of ink and cover, 0…1, in square cells of a surface, row by row from its top left corner. Each cell is sampled in
/// `points` places in both directions.
void physics_sum_surface(const physics_surface *surface, float cell, int points, size_t columns, size_t rows,
                         float *ink, float *cover);

/// Blurs a picture with a Gaussian of that deviation in pixels. Its edges continue outside. `scratch` holds
/// `width * height` numbers, and `width` more.
void physics_blur(const uint16_t *from, uint16_t *to, size_t width, size_t height, float deviation, float *scratch);

/// Lays a row of a surface over the light that is there. `sharp` and `soft` are mixed by `blend` (0: sharp); `paper` and `ink` are the light
/// that each of them reflects in red, green and blue. No cover (NULL): the surface covers everything.
void physics_cover_row(const uint16_t *sharp_ink, const uint16_t *soft_ink, const uint16_t *sharp_cover,
                       const uint16_t *soft_cover, float blend, size_t count, const float paper[3], const float ink[3],
                       float *red, float *green, float *blue);

/// Magnifies a row that is mixed of two by `below` (0: the upper one): each pixel comes from the places `index` and `index + 1`, mixed by `weight`.
void physics_magnify_row(const float *upper, const float *lower, float below, const int32_t *index, const float *weight,
                         size_t count, float *to);

/// How a sensor turns light into a signal.
typedef struct {
  /// The signal for a unit of light.
  float exposure;
  /// Noise: its variance is `shot * signal + read`.
  float shot, read;
  /// The signal where pixels are full.
  float saturation;
  /// White balance.
  float gains[3];
} physics_sensor;

enum { physics_curve_count = 4096 };

/// Makes 8-bit values, 0…255, of a row of light in one colour (0, 1, 2: red, green, blue). `noise` has a deviation of 32. `curve` is the table
/// of values by signal; a signal of 1 is at its end.
void physics_expose_row(const float *light, const int8_t *noise, size_t count, const physics_sensor *sensor, int color,
                        const uint8_t *curve, uint8_t *to);

/// BT.601, video range. `count` is even.
void physics_luma_row(const uint8_t *red, const uint8_t *green, const uint8_t *blue, size_t count, uint8_t *luma);
void physics_yuyv_row(const uint8_t *red, const uint8_t *green, const uint8_t *blue, size_t count, uint8_t *yuyv);
