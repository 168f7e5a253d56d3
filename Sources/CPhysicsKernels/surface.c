#include "vectorized.h"
#include "CPhysicsKernels.h"

#include <math.h>

const float physics_patch_border = 0.14f;
const float physics_patch_levels[] = {0.9f, 0.59f, 0.36f, 0.18f, 0.09f, 0.04f};

static inline float limited(float value) { return value < 0 ? 0 : value > 1 ? 1 : value; }

// Random, -1…1, smooth between whole numbers.
static inline float value_noise(const uint8_t *tile, float x, float y) {
  float floor_x = floorf(x), floor_y = floorf(y);
  float part_x = x - floor_x, part_y = y - floor_y;
  part_x *= part_x * (3 - 2 * part_x);
  part_y *= part_y * (3 - 2 * part_y);
  unsigned left = (unsigned)(int)floor_x & 255, right = (left + 1) & 255;
  const uint8_t *upper = tile + (((unsigned)(int)floor_y & 255) << 8);
  const uint8_t *lower = tile + (((unsigned)(int)(floor_y + 1) & 255) << 8);
  float top = upper[left] + part_x * (upper[right] - upper[left]);
  float bottom = lower[left] + part_x * (lower[right] - lower[left]);
  return (top + part_y * (bottom - top)) * (2.0f / 255) - 1;
}

// Noise of every size from `pitch` down to two pixels.
static float fractal(const uint8_t *tile, float x, float y, float pitch, float step) {
  float sum = 0, amplitude = 0.5f, scale = 1 / pitch;
  for (int octave = 0; octave < 12 && scale * step <= 0.5f; octave++) {
    sum += amplitude * value_noise(tile, x * scale + 37 * octave, y * scale + 91 * octave);
    amplitude *= 0.8f;
    scale *= 2;
  }
  return sum;
}

// A random number from 0 to 1 for each place of whole numbers.
static inline float random_at(const uint8_t *tile, int x, int y) {
  return tile[((unsigned)(y * 7 + 3) & 255) << 8 | ((unsigned)(x * 13 + 5) & 255)] * (1.0f / 255);
}

static float bricks(const physics_surface *surface, float x, float y, float step) {
  float row = floorf(y / surface->pitch);
  float shifted = x / (2.4f * surface->pitch) + ((int)row & 1) * 0.5f;
  float column = floorf(shifted);
  float across = (shifted - column) * 2.4f, down = y / surface->pitch - row;
  float grain = 0.3f * fractal(surface->tile, x, y, surface->pitch / 2, step);
  if (across < 0.1f || down < 0.1f) return 0.12f + 0.3f * grain;
  return 0.45f + 0.4f * random_at(surface->tile, (int)column, (int)row) + grain;
}

static float patches(const physics_surface *surface, float x, float y, float step) {
  float grain = fractal(surface->tile, x, y, surface->pitch, step);
  float across = (x / surface->width - physics_patch_border) / (1 - 2 * physics_patch_border);
  float down = (y / surface->height - physics_patch_border) / (1 - 2 * physics_patch_border);
  if (across <= 0 || across >= 1 || down <= 0 || down >= 1) {
    int check = ((int)floorf(x / surface->pitch) + (int)floorf(y / surface->pitch)) & 1;
    return check ? 0.75f : 0.06f;
  }
  int patch = (int)(down * physics_patch_rows) * physics_patch_columns + (int)(across * physics_patch_columns);
  return physics_patch_levels[patch] * (1 + 0.12f * grain);
}

static float print(const physics_surface *surface, float x, float y, float step) {
  float line = floorf(y / surface->pitch), down = y / surface->pitch - line;
  float grain = 0.06f * fractal(surface->tile, x, y, surface->pitch, step);
  // Letters are dark columns, words have gaps between them.
  float letter = floorf(x / (0.3f * surface->pitch));
  int is_gap = random_at(surface->tile, (int)letter, (int)line) < 0.18f;
  float stroke = value_noise(surface->tile, x * 7 / surface->pitch, y * 3 / surface->pitch + 11 * line);
  int is_dark = down > 0.25f && down < 0.85f && !is_gap && stroke > -0.25f;
  return (is_dark ? 0.9f : 0.06f) + grain;
}

static float ink_at(const physics_surface *surface, float x, float y, float step) {
  float pitch = surface->pitch;
  switch (surface->pattern) {
    case physics_pattern_bricks: return bricks(surface, x, y, step);
    case physics_pattern_camouflage: return 0.5f + 1.5f * fractal(surface->tile, x, y, pitch, step);
    case physics_pattern_checker: {
      int check = ((int)floorf(x / pitch) + (int)floorf(y / pitch)) & 1;
      return (check ? 0.78f : 0.22f) + 0.35f * fractal(surface->tile, x, y, pitch, step);
    }
    case physics_pattern_patches: return patches(surface, x, y, step);
    case physics_pattern_print: return print(surface, x, y, step);
  }
  return 0;
}

// How much of a pixel `step` wide lies inside, by how far its middle does.
static inline float inside(float distance, float step) { return limited(distance / step + 0.5f); }

void physics_paint_surface(const physics_surface *surface, float x, float y, float step, size_t count,
                           uint16_t *ink, uint16_t *cover) {
  float radius = surface->width / 2;
  float rows = inside(y, step) * inside(surface->height - y, step);
  for (size_t i = 0; i < count; i++, x += step) {
    float covered;
    if (surface->is_disc) {
      float across = x - radius, down = y - surface->height / 2;
      covered = inside(radius - sqrtf(across * across + down * down), step);
    } else {
      covered = rows * inside(x, step) * inside(surface->width - x, step);
    }
    float part = covered > 0 ? limited(ink_at(surface, x, y, step)) : 0;
    cover[i] = (uint16_t)(covered * 65535 + 0.5f);
    ink[i] = (uint16_t)(covered * part * 65535 + 0.5f);
  }
}

void physics_sum_surface(const physics_surface *surface, float cell, int points, size_t columns, size_t rows,
                         float *ink, float *cover) {
  float step = cell / points, scale = 1.0f / (65535 * points * points);
  for (size_t i = 0; i < columns * rows; i++) ink[i] = cover[i] = 0;
  for (size_t row = 0; row < rows * points; row++) {
    for (size_t column = 0; column < columns; column++) {
      uint16_t inks[16], covers[16];
      physics_paint_surface(surface, column * cell + step / 2, (row + 0.5f) * step, step, points, inks, covers);
      size_t at = row / points * columns + column;
      for (int i = 0; i < points; i++) {
        ink[at] += inks[i] * scale;
        cover[at] += covers[i] * scale;
      }
    }
  }
}
