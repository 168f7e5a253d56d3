// LD_PRELOAD=late_signals.so: a process begins late to notice SIGTERM, as one does whose threads wait for a busy processor.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

int sigaction(int number, const struct sigaction *new, struct sigaction *old) {
  static int (*real)(int, const struct sigaction *, struct sigaction *);
  if (!real) real = (int (*)(int, const struct sigaction *, struct sigaction *))dlsym(RTLD_NEXT, "sigaction");
  if (new && number == SIGTERM) usleep(500000);
  return real(number, new, old);
}
