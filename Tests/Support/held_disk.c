// LD_PRELOAD=held_disk.so HELD_DISK=FOLDER: a disk that is slow to take what was written. While FOLDER has "held", fsync(2) waits; before that it makes "waiting" there.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int fsync(int file) {
  static int (*real)(int);
  if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  const char *folder = getenv("HELD_DISK");
  char held[PATH_MAX], waiting[PATH_MAX];
  snprintf(held, sizeof held, "%s/held", folder ? folder : "");
  snprintf(waiting, sizeof waiting, "%s/waiting", folder ? folder : "");
  if (access(held, F_OK) == 0) close(open(waiting, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  // The test ends it; a test that has failed shall leave no process.
  for (int left = 60000; left > 0 && access(held, F_OK) == 0; left -= 10) usleep(10000);
  return real(file);
}
