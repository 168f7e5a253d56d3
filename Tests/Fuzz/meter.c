// libFuzzer's entry: runs each input within bounds that libFuzzer itself cannot keep. Its timeout counts whole seconds, its malloc
// limit single allocations.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// What the decoder and the state machines do with the bytes (WireFuzz.swift, NearLimits.swift), or what reads texts does (TextFuzz.swift).
void fuzz_one(const uint8_t *bytes, size_t count);
__attribute__((weak)) void fuzz_near_limits(const uint8_t *bytes, size_t count);

typedef void (*MallocHook)(const volatile void *, size_t);
typedef void (*FreeHook)(const volatile void *);
int __sanitizer_install_malloc_and_free_hooks(MallocHook, FreeHook);
size_t __sanitizer_get_allocated_size(const volatile void *);

// In place of what traces comparisons of words (scripts/fuzz).
void ignore_comparison(void) {}
void ignore_constant(void) {}

static const double most_seconds = 0.1;
static const int64_t most_bytes = 64 << 20;
static void (*run)(const uint8_t *bytes, size_t count) = fuzz_one;
// Bytes that an input allocated in all; and, only where that is too much, how many it held at one time and at most.
static int64_t allocated, held, most_held;
static int is_held_counted;
// The largest values of all inputs so far.
static int64_t largest_bytes;
static double longest_seconds;

// Windows of so much of the processor's time, those of the first four hours: how many inputs a second each had, and how long the fixed work
// took at its end.
static const double window_seconds = 0.25;
enum { most_windows = 1 << 16 };
static double rates[most_windows], works[most_windows];
static int windows;
static double window_start;
static uint64_t window_inputs;
// What the fixed work takes on a quiet processor of 2.8 GHz.
static const double quiet_work_seconds = 245e-6;

static void on_malloc(const volatile void *memory, size_t count) {
  (void)memory;
  allocated += count;
  if (!is_held_counted) return;
  held += count;
  if (held > most_held) most_held = held;
}

static void on_free(const volatile void *memory) {
  if (is_held_counted && memory) held -= __sanitizer_get_allocated_size(memory);
}

static int64_t bytes_held(const uint8_t *bytes, size_t count) {
  held = most_held = 0;
  is_held_counted = 1;
  run(bytes, count);
  is_held_counted = 0;
  return most_held;
}

static double seconds_on(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

// Always the same, in memory and out of it: tells how quick the processor is now, with whom it shares its cores, its caches and its time.
static void work(void) {
  static uint32_t table[1 << 16];
  uint32_t state = 1;
  for (int step = 0; step < 40000; step++) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    table[state >> 16] += state;
    state += table[state >> 16] & 1;
  }
}

static double work_seconds(void) {
  double start = seconds_on(CLOCK_THREAD_CPUTIME_ID);
  work();
  return seconds_on(CLOCK_THREAD_CPUTIME_ID) - start;
}

static void end_window(double now) {
  if (windows < most_windows) {
    rates[windows] = window_inputs / (now - window_start);
    work();  // Into the caches.
    works[windows++] = work_seconds();
  }
  window_inputs = 0;
  window_start = seconds_on(CLOCK_PROCESS_CPUTIME_ID);
}

static int order(const void *one, const void *other) {
  double a = *(const double *)one, b = *(const double *)other;
  return (a > b) - (a < b);
}

// Without the first quarter: then most inputs are new, and libFuzzer is busy with keeping them.
static double median(double *values) {
  int first = windows / 4, count = windows - first;
  if (count == 0) return 0;
  qsort(values + first, count, sizeof *values, order);
  return values[first + count / 2];
}

static void tell(void) {
  double work = median(works);
  fprintf(stderr, "stat::processor_seconds:         %.1f\n", seconds_on(CLOCK_PROCESS_CPUTIME_ID));
  fprintf(stderr, "stat::rate:                      %.0f\n", median(rates));
  fprintf(stderr, "stat::speed:                     %.2f\n", work > 0 ? quiet_work_seconds / work : 1);
  fprintf(stderr, "stat::largest_bytes:             %ld\n", largest_bytes);
  fprintf(stderr, "stat::longest_ms:                %.1f\n", longest_seconds * 1e3);
}

int LLVMFuzzerInitialize(int *count, char ***words) {
  (void)count;
  (void)words;
  if (getenv("CAPTURE_FUZZ_NEAR_LIMITS")) run = fuzz_near_limits;
  // What is made once is no input's.
  static const uint8_t nothing[5];
  run(nothing, sizeof nothing);
  if (!__sanitizer_install_malloc_and_free_hooks(on_malloc, on_free) || atexit(tell) != 0) abort();
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
  // Its clock is a system call.
  if (++window_inputs % 64 == 0) {
    double now = seconds_on(CLOCK_PROCESS_CPUTIME_ID);
    if (now - window_start >= window_seconds) end_window(now);
  }
  allocated = 0;
  double start = seconds_on(CLOCK_MONOTONIC);
  run(bytes, count);
  double took = seconds_on(CLOCK_MONOTONIC) - start;
  int64_t taken = allocated;
  if (taken > most_bytes && (taken = bytes_held(bytes, count)) > most_bytes) {
    fprintf(stderr, "meter: an input of %zu bytes takes %ld\n", count, taken);
    abort();
  }
  // Another process may have had the processor, or the host, which counts as ours: what is slow is slow every time.
  // So that the longest is told as it is, too.
  for (int again = 0; again < 10 && took > (again == 0 ? longest_seconds : most_seconds); again++) {
    start = seconds_on(CLOCK_THREAD_CPUTIME_ID);
    run(bytes, count);
    took = seconds_on(CLOCK_THREAD_CPUTIME_ID) - start;
  }
  if (took > most_seconds) {
    fprintf(stderr, "meter: an input of %zu bytes takes %.0f ms\n", count, took * 1e3);
    abort();
  }
  if (taken > largest_bytes) largest_bytes = taken;
  if (took > longest_seconds) longest_seconds = took;
  return 0;
}
