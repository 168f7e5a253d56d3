#pragma once
#include <libyuv.h>
#include <libyuv/scale_rgb.h>
#include <stdbool.h>

/// BT.601 in the limited range, or in JFIF's. `swapped`: for Cr in Cb's place, which also changes places of red and blue.
static inline const struct YuvConstants *yuv_rec601(bool full, bool swapped) {
  if (swapped) return full ? &kYvuJPEGConstants : &kYvuI601Constants;
  return full ? &kYuvJPEGConstants : &kYuvI601Constants;
}
