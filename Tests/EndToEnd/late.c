// How many frames a camera that is driven by a clock has to skip, whoever reads it, since its machine gets no processor: `late SECONDS
// RATE`. A process that only sleeps, on each processor, counts when it is woken more than half a frame late; vivid skips a frame
// from there on.
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const long step = 4000000;

static double seconds(const struct timespec *time) { return time->tv_sec + time->tv_nsec * 1e-9; }

static int skipped(int processor, double duration, double frame) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  sched_setaffinity(0, sizeof set, &set);
  struct timespec due, now;
  clock_gettime(CLOCK_MONOTONIC, &due);
  double end = seconds(&due) + duration;
  int count = 0;
  do {
    due.tv_nsec += step;
    if (due.tv_nsec >= 1000000000) due.tv_sec++, due.tv_nsec -= 1000000000;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
    clock_gettime(CLOCK_MONOTONIC, &now);
    double late = seconds(&now) - seconds(&due);
    // It may have been due up to a step before this sleep ended.
    if (late > frame / 2 - step * 1e-9) {
      count += 1 + (int)(late / frame);
      due = now;
    }
  } while (seconds(&now) < end);
  return count;
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  double duration = atof(argv[1]), frame = 1 / atof(argv[2]);
  int processors = sysconf(_SC_NPROCESSORS_ONLN), sum = 0;
  // An exit status would hold no more than 255.
  int *counts = mmap(NULL, processors * sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (counts == MAP_FAILED) return 1;
  for (int processor = 0; processor < processors; processor++)
    if (fork() == 0) {
      counts[processor] = skipped(processor, duration, frame);
      _exit(0);
    }
  while (wait(NULL) > 0) continue;
  for (int processor = 0; processor < processors; processor++) sum += counts[processor];
  printf("%d\n", sum);
}
