#define _GNU_SOURCE
#include "CCaptureShims.h"

#include <fcntl.h>
#include <sys/ioctl.h>

int capture_ioctl(int descriptor, unsigned long request, void *argument) {
  return ioctl(descriptor, request, argument);
}

int capture_open(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }

int capture_accept(int descriptor, struct sockaddr *peer, socklen_t *size, int flags) {
  return accept4(descriptor, peer, size, flags);
}

int capture_fcntl(int descriptor, int command, int argument) { return fcntl(descriptor, command, argument); }
