// LD_PRELOAD=file_order.so FILE_ORDER=FILE: adds a line to FILE for each file that is removed, "unlink PATH", and for each that is made durable, "sync PATH", in
// their order.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int order = -1;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("FILE_ORDER");
  if (path) order = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

// NAME is in the folder FILE; NULL: FILE itself.
static void note(const char *what, int file, const char *name) {
  char link[64], path[PATH_MAX], line[2 * PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t size = readlink(link, path, sizeof path - 1);
  if (order < 0 || size < 0) return;
  path[size] = 0;
  int length = snprintf(line, sizeof line, name ? "%s %s/%s\n" : "%s %s\n", what, path, name);
  if (length > 0 && write(order, line, length) < 0) abort();
}

int unlinkat(int folder, const char *name, int flags) {
  static int (*real)(int, const char *, int);
  if (!real) real = (int (*)(int, const char *, int))dlsym(RTLD_NEXT, "unlinkat");
  int result = real(folder, name, flags);
  if (!result) note("unlink", folder, name);
  return result;
}

#define SYNC(name)                                        \
  int name(int file) {                                    \
    static int (*real)(int);                              \
    if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, #name); \
    int result = real(file);                              \
    if (!result) note("sync", file, NULL);                \
    return result;                                        \
  }

SYNC(fsync)
SYNC(fdatasync)
