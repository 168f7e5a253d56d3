// Kills its process at one of its steps: LD_PRELOAD=cut.so CUT=FILE.
//
// FILE has one number, which is counted down at each step: a file that is made, written, made durable, renamed, removed or closed to others, and what goes
// into a socket. Where it comes to 0 the process is killed before that step, as by a power cut. A number that is 0 already counts nothing. Whoever has mapped
// FILE may set the number at any time.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static _Atomic int none, *left = &none;

__attribute__((constructor)) static void map(void) {
  const char *path = getenv("CUT");
  int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *mapped = mmap(NULL, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped != MAP_FAILED) left = mapped;
}

static void step(void) {
  int now = atomic_load(left);
  while (now > 0 && !atomic_compare_exchange_weak(left, &now, now - 1)) {}
  if (now == 1) kill(getpid(), SIGKILL);
}

#define STEP(type, name, parameters, ...)                       \
  type name parameters {                                        \
    static type (*real) parameters;                             \
    if (!real) real = (type (*) parameters)dlsym(RTLD_NEXT, #name); \
    step();                                                     \
    return real(__VA_ARGS__);                                   \
  }

STEP(ssize_t, write, (int file, const void *data, size_t size), file, data, size)
STEP(ssize_t, writev, (int file, const struct iovec *parts, int count), file, parts, count)
STEP(ssize_t, send, (int file, const void *data, size_t size, int flags), file, data, size, flags)
STEP(ssize_t, sendmsg, (int file, const struct msghdr *message, int flags), file, message, flags)
STEP(int, fsync, (int file), file)
STEP(int, fdatasync, (int file), file)
STEP(int, fchmod, (int file, mode_t mode), file, mode)
STEP(int, mkdir, (const char *path, mode_t mode), path, mode)
STEP(int, rename, (const char *from, const char *to), from, to)
STEP(int, link, (const char *from, const char *to), from, to)
STEP(int, unlink, (const char *path), path)

// Only those that make a file are steps.
#define OPEN(name)                                                \
  int name(const char *path, int flags, ...) {                    \
    static int (*real)(const char *, int, ...);                   \
    if (!real) real = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, #name); \
    mode_t mode = 0;                                              \
    if (flags & (O_CREAT | O_TMPFILE)) {                          \
      va_list rest;                                               \
      va_start(rest, flags);                                      \
      mode = va_arg(rest, mode_t);                                \
      va_end(rest);                                               \
    }                                                             \
    if (flags & O_CREAT) step();                                  \
    return real(path, flags, mode);                               \
  }

OPEN(open)
OPEN(open64)
