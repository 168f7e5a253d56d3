// What every floor needs: clocks, statistics, and the end of a program that cannot go on.
#pragma once

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline void require(int condition, const char *what) {
  if (condition) return;
  fprintf(stderr, "%s: %s\n", what, strerror(errno));
  exit(1);
}

static inline double seconds_on(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Sorts `values`; fraction 0.5 is the median.
static inline double percentile(double *values, size_t count, double fraction) {
  qsort(values, count, sizeof *values, ascending);
  return values[(size_t)(fraction * (count - 1) + 0.5)];
}

// A number of /proc/PID/status: "VmRSS" (KiB), "Threads".
static inline double status_of(int process, const char *field) {
  char path[64], line[256];
  double value = 0;
  snprintf(path, sizeof path, "/proc/%d/status", process);
  FILE *file = fopen(path, "r");
  require(file != NULL, path);
  while (fgets(line, sizeof line, file) != NULL) {
    if (strncmp(line, field, strlen(field)) == 0 && line[strlen(field)] == ':') value = atof(line + strlen(field) + 1);
  }
  fclose(file);
  return value;
}
