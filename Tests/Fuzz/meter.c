// libFuzzer's entry: runs each input within bounds that libFuzzer itself cannot keep. Its timeout counts whole seconds, its malloc
// limit single allocations.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// What the decoder and the state machines do with the bytes (WireFuzz.swift).
void fuzz_one(const uint8_t *bytes, size_t count);

typedef void (*MallocHook)(const volatile void *, size_t);
typedef void (*FreeHook)(const volatile void *);
int __sanitizer_install_malloc_and_free_hooks(MallocHook, FreeHook);

// In place of what traces comparisons of words (scripts/fuzz).
void ignore_comparison(void) {}
void ignore_constant(void) {}

static const double most_seconds = 0.1;
static const uint64_t most_bytes = 64 << 20;
static uint64_t allocated;

static void on_malloc(const volatile void *memory, size_t count) {
  (void)memory;
  allocated += count;
}

static void on_free(const volatile void *memory) { (void)memory; }

static double seconds_on(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

static void tell(void) {
  fprintf(stderr, "stat::processor_seconds:         %.1f\n", seconds_on(CLOCK_PROCESS_CPUTIME_ID));
}

int LLVMFuzzerInitialize(int *count, char ***words) {
  (void)count;
  (void)words;
  if (!__sanitizer_install_malloc_and_free_hooks(on_malloc, on_free) || atexit(tell) != 0) abort();
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
  allocated = 0;
  double start = seconds_on(CLOCK_MONOTONIC);
  fuzz_one(bytes, count);
  if (allocated > most_bytes) {
    fprintf(stderr, "meter: an input of %zu bytes allocates %lu\n", count, allocated);
    abort();
  }
  if (seconds_on(CLOCK_MONOTONIC) - start > most_seconds) {
    // Another process may have had the processor.
    start = seconds_on(CLOCK_THREAD_CPUTIME_ID);
    fuzz_one(bytes, count);
    double took = seconds_on(CLOCK_THREAD_CPUTIME_ID) - start;
    if (took > most_seconds) {
      fprintf(stderr, "meter: an input of %zu bytes takes %.0f ms\n", count, took * 1e3);
      abort();
    }
  }
  return 0;
}
