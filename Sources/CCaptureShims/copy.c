#include "CCaptureShims.h"

#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>

void capture_copy_past_cache(void *to, const void *from, size_t count) {
  char *target = to;
  const char *source = from;
  size_t head = -(uintptr_t)target & 63;
  if (count < 4096) {
    memcpy(target, source, count);
    return;
  }
  memcpy(target, source, head);
  size_t done = head;
  for (; done + 64 <= count; done += 64) {
    const __m128i *read = (const __m128i *)(source + done);
    __m128i *write = (__m128i *)(target + done);
    __m128i first = _mm_loadu_si128(read), second = _mm_loadu_si128(read + 1);
    __m128i third = _mm_loadu_si128(read + 2), fourth = _mm_loadu_si128(read + 3);
    _mm_stream_si128(write, first);
    _mm_stream_si128(write + 1, second);
    _mm_stream_si128(write + 2, third);
    _mm_stream_si128(write + 3, fourth);
  }
  // Orders these stores before all later ones, as other threads see them.
  _mm_sfence();
  memcpy(target + done, source + done, count - done);
}
#else
void capture_copy_past_cache(void *to, const void *from, size_t count) { memcpy(to, from, count); }
#endif
