// The floor of encoding: one thread, YUYV to planes to libturbojpeg at quality 80, 4:2:2; or NV12, 4:2:0.
//
//   jpeg-floor WIDTH HEIGHT FRAMES [RAW-FILE [RATE]]
//
// RAW-FILE holds one YUYV picture, or where it is named so (….nv12) one of NV12; without it a made one of YUYV. RATE frames a second, as a camera
// gives them; without it in one go.
//
// De-interleaves with libyuv and with plain C, and keeps the better. Prints one JSON object; times are CPU of the thread.
#include "measure.h"

#include <libyuv.h>
#include <turbojpeg.h>

typedef struct {
  int width, height;
  unsigned char *planes[3];
  int strides[3];
} Planes;

typedef void (*Deinterleave)(const unsigned char *picture, const Planes *to);

static void with_libyuv(const unsigned char *yuyv, const Planes *to) {
  YUY2ToI422(yuyv, to->width * 2, to->planes[0], to->strides[0], to->planes[1], to->strides[1], to->planes[2],
             to->strides[2], to->width, to->height);
}

static void with_plain_c(const unsigned char *yuyv, const Planes *to) {
  for (int row = 0; row < to->height; row++) {
    const unsigned char *restrict from = yuyv + (size_t)row * to->width * 2;
    unsigned char *restrict y = to->planes[0] + (size_t)row * to->strides[0];
    unsigned char *restrict u = to->planes[1] + (size_t)row * to->strides[1];
    unsigned char *restrict v = to->planes[2] + (size_t)row * to->strides[2];
    for (int pair = 0; pair < to->width / 2; pair++) {
      y[2 * pair] = from[4 * pair];
      u[pair] = from[4 * pair + 1];
      y[2 * pair + 1] = from[4 * pair + 2];
      v[pair] = from[4 * pair + 3];
    }
  }
}

// Only the chroma of NV12 has to be taken apart; libturbojpeg reads luma where it is.
static void chroma_with_libyuv(const unsigned char *nv12, const Planes *to) {
  SplitUVPlane(nv12 + (size_t)to->width * to->height, to->width, to->planes[1], to->strides[1], to->planes[2], to->strides[2],
               to->width / 2, to->height / 2);
}

static void chroma_with_plain_c(const unsigned char *nv12, const Planes *to) {
  const unsigned char *restrict from = nv12 + (size_t)to->width * to->height;
  unsigned char *restrict u = to->planes[1], *restrict v = to->planes[2];
  for (size_t pair = 0; pair < (size_t)to->width * to->height / 4; pair++) {
    u[pair] = from[2 * pair];
    v[pair] = from[2 * pair + 1];
  }
}

// Smooth shades, edges and a little noise: about the entropy of a room seen by a webcam.
static void draw(unsigned char *yuyv, int width, int height) {
  uint32_t noise = 1;
  for (int row = 0; row < height; row++) {
    for (int column = 0; column < width; column++) {
      noise = noise * 1664525 + 1013904223;
      int checker = ((row / 40 + column / 40) & 1) * 48;
      unsigned char *at = yuyv + ((size_t)row * width + column) * 2;
      at[0] = 32 + (row + column) % 128 + checker + (noise >> 30);
      at[1] = 128 + ((column & 1 ? row : column) * 64 / (width + height)) - 32;
    }
  }
}

static void wait_until(double time) {
  struct timespec at = {(time_t)time, (long)((time - (time_t)time) * 1e9)};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

int main(int count, char **words) {
  if (count < 4 || count > 6 || atoi(words[3]) < 1) {
    fprintf(stderr, "usage: jpeg-floor WIDTH HEIGHT FRAMES [RAW-FILE [RATE]]\n");
    return 2;
  }
  int width = atoi(words[1]), height = atoi(words[2]), frames = atoi(words[3]);
  const char *ending = count >= 5 ? strrchr(words[4], '.') : NULL;
  int is_nv12 = ending != NULL && strcmp(ending, ".nv12") == 0;
  size_t bytes = (size_t)width * height * (is_nv12 ? 3 : 4) / 2;
  unsigned char *picture = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
  require(picture != NULL, "memory");
  double rate = count == 6 ? atof(words[5]) : 0;
  if (count >= 5) {
    FILE *file = fopen(words[4], "rb");
    require(file != NULL, words[4]);
    require(fread(picture, 1, bytes, file) == bytes, "the file holds less than one picture");
    fclose(file);
  } else {
    draw(picture, width, height);
  }

  Planes planes = {width, height, {0}, {width, width / 2, width / 2}};
  for (int i = is_nv12; i < 3; i++) planes.planes[i] = aligned_alloc(64, ((size_t)planes.strides[i] * height + 63) & ~63UL);
  if (is_nv12) planes.planes[0] = picture;
  enum TJSAMP subsampling = is_nv12 ? TJSAMP_420 : TJSAMP_422;
  tjhandle encoder = tjInitCompress();
  unsigned long capacity = tjBufSize(width, height, subsampling), size = 0;
  unsigned char *jpeg = tjAlloc(capacity);

  Deinterleave ways[2] = {is_nv12 ? chroma_with_libyuv : with_libyuv, is_nv12 ? chroma_with_plain_c : with_plain_c};
  double medians[2], *times = calloc(frames, sizeof *times);
  for (int way = 0; way < 2; way++) {
    double next = seconds_on(CLOCK_MONOTONIC);
    for (int i = -3; i < frames; i++) {  // three warm up
      if (rate > 0) wait_until(next += 1 / rate);
      double start = seconds_on(CLOCK_THREAD_CPUTIME_ID);
      ways[way](picture, &planes);
      size = capacity;
      int failed = tjCompressFromYUVPlanes(encoder, (const unsigned char **)planes.planes, width, planes.strides,
                                           height, subsampling, &jpeg, &size, 80, TJFLAG_NOREALLOC);
      if (failed) fprintf(stderr, "%s\n", tjGetErrorStr2(encoder));
      if (failed) return 1;
      if (i >= 0) times[i] = (seconds_on(CLOCK_THREAD_CPUTIME_ID) - start) * 1e3;
    }
    medians[way] = percentile(times, frames, 0.5);
  }
  printf("{\"cpu_ms_per_frame\": %.4f, \"libyuv_ms\": %.4f, \"plain_c_ms\": %.4f, \"jpeg_bytes\": %lu}\n",
         medians[0] < medians[1] ? medians[0] : medians[1], medians[0], medians[1], size);
}
