// LD_PRELOAD=failing_calls.so FAILING_CALLS=FOLDER: system calls that fail.
//
// While FOLDER has a file with a call's name, that call fails where the path matches the file's pattern. The file has the error's number, a space, and the
// pattern (fnmatch(3)). `open` and `stat` have the path that the program gives, also relative to a folder; `fsync`, `flock`, `mmap` and `close` that of the
// open file.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// The number of the error with which the call is to fail; 0: it is not.
static int failure(const char *call, const char *path) {
  const char *folder = getenv("FAILING_CALLS");
  char name[PATH_MAX], rule[PATH_MAX + 16], *pattern;
  int before = errno, number = 0;
  snprintf(name, sizeof name, "%s/%s", folder ? folder : "", call);
  // Not by the functions below.
  int file = syscall(SYS_openat, AT_FDCWD, name, O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    ssize_t size = syscall(SYS_read, file, rule, sizeof rule - 1);
    syscall(SYS_close, file);
    rule[size > 0 ? size : 0] = 0;
    number = strtol(rule, &pattern, 10);
    if (*pattern != ' ' || fnmatch(pattern + 1, path, 0) != 0) number = 0;
  }
  errno = before;
  return number;
}

static int failure_of(const char *call, int file) {
  char link[64], path[PATH_MAX];
  int before = errno;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t size = readlink(link, path, sizeof path - 1);
  errno = before;
  if (size < 0) return 0;
  path[size] = 0;
  return failure(call, path);
}

#define REAL(name) static __typeof__(name) *real; if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)
#define FAIL(number) do { errno = number; return -1; } while (0)
#define MODE(mode)                            \
  mode_t mode = 0;                            \
  if (flags & (O_CREAT | O_TMPFILE)) {        \
    va_list rest;                             \
    va_start(rest, flags);                    \
    mode = va_arg(rest, mode_t);              \
    va_end(rest);                             \
  }

#define OPEN(name)                              \
  int name(const char *path, int flags, ...) {  \
    REAL(name);                                 \
    MODE(mode)                                  \
    int number = failure("open", path);         \
    if (number) FAIL(number);                   \
    return real(path, flags, mode);             \
  }

#define OPENAT(name)                                        \
  int name(int folder, const char *path, int flags, ...) {  \
    REAL(name);                                             \
    MODE(mode)                                              \
    int number = failure("open", path);                     \
    if (number) FAIL(number);                               \
    return real(folder, path, flags, mode);                 \
  }

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

int fstatat(int folder, const char *path, struct stat *status, int flags) {
  REAL(fstatat);
  int number = failure("stat", path);
  if (number) FAIL(number);
  return real(folder, path, status, flags);
}

int fstatat64(int folder, const char *path, struct stat64 *status, int flags) {
  REAL(fstatat64);
  int number = failure("stat", path);
  if (number) FAIL(number);
  return real(folder, path, status, flags);
}

int fsync(int file) {
  REAL(fsync);
  int number = failure_of("fsync", file);
  if (number) FAIL(number);
  return real(file);
}

int flock(int file, int operation) {
  REAL(flock);
  int number = failure_of("flock", file);
  if (number) FAIL(number);
  return real(file, operation);
}

#define MMAP(name, offset_type)                                                                \
  void *name(void *at, size_t size, int protection, int flags, int file, offset_type offset) { \
    REAL(name);                                                                                \
    int number = file >= 0 ? failure_of("mmap", file) : 0;                                     \
    if (number) {                                                                              \
      errno = number;                                                                          \
      return MAP_FAILED;                                                                       \
    }                                                                                          \
    return real(at, size, protection, flags, file, offset);                                    \
  }

MMAP(mmap, off_t)
MMAP(mmap64, off64_t)

// A close that fails has closed the file all the same.
int close(int file) {
  REAL(close);
  int number = failure_of("close", file);
  int result = real(file);
  if (number) FAIL(number);
  return result;
}
