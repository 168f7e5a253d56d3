// The floor of converting: one call of libyuv, of a YUYV picture into BGRA or NV12.
//
//   convert-floor WIDTH HEIGHT FRAMES RAW-FILE AR24|NV12
//
// RAW-FILE begins with at least one YUYV picture of that size. Prints one JSON object; times are CPU of the thread.
#include "measure.h"

#include <libyuv.h>

int main(int count, char **words) {
  if (count != 6 || atoi(words[3]) < 1) {
    fprintf(stderr, "usage: convert-floor WIDTH HEIGHT FRAMES RAW-FILE AR24|NV12\n");
    return 2;
  }
  int width = atoi(words[1]), height = atoi(words[2]), frames = atoi(words[3]);
  int is_bgra = strcmp(words[5], "AR24") == 0;
  size_t bytes = (size_t)width * height * 2;
  unsigned char *picture = aligned_alloc(4096, (bytes + 4095) & ~(size_t)4095);
  unsigned char *result = aligned_alloc(4096, (2 * bytes + 4095) & ~(size_t)4095);
  double *times = calloc(frames, sizeof *times);
  require(picture != NULL && result != NULL && times != NULL, "memory");
  FILE *file = fopen(words[4], "rb");
  require(file != NULL, words[4]);
  require(fread(picture, 1, bytes, file) == bytes, "the file holds less than one picture");
  fclose(file);
  for (int i = -3; i < frames; i++) {  // three warm up
    double start = seconds_on(CLOCK_THREAD_CPUTIME_ID);
    if (is_bgra) {
      YUY2ToARGB(picture, width * 2, result, width * 4, width, height);
    } else {
      YUY2ToNV12(picture, width * 2, result, width, result + (size_t)width * height, width, width, height);
    }
    if (i >= 0) times[i] = (seconds_on(CLOCK_THREAD_CPUTIME_ID) - start) * 1e3;
  }
  printf("{\"cpu_ms_per_frame\": %.4f}\n", percentile(times, frames, 0.5));
}
