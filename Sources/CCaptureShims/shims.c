#define _GNU_SOURCE
#include "CCaptureShims.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

int capture_ioctl(int descriptor, unsigned long request, void *argument) {
  return ioctl(descriptor, request, argument);
}

int capture_open(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }

int capture_accept(int descriptor, struct sockaddr *peer, socklen_t *size, int flags) {
  return accept4(descriptor, peer, size, flags);
}

int capture_fcntl(int descriptor, int command, int argument) { return fcntl(descriptor, command, argument); }

int capture_poll(struct pollfd *entries, unsigned long count, int64_t nanoseconds) {
  struct timespec timeout = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
  return ppoll(entries, count, nanoseconds < 0 ? NULL : &timeout, NULL);
}

void capture_name_thread(pthread_t thread, const char *name) { pthread_setname_np(thread, name); }

int capture_memory_file(const char *name) { return memfd_create(name, MFD_CLOEXEC); }

int capture_sync_file_system(int descriptor) { return syncfs(descriptor); }

int capture_rename_new(const char *from, const char *to) {
  return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
}
