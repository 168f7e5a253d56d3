// The floor of the wire: two processes on a blocking loopback TCP connection, no protocol.
//
//   socket-floor stream BYTES SECONDS   one way, a 32-byte header and BYTES of payload a message, one writev each
//   socket-floor ping BYTES COUNT PLACE there and back, one message at a time. PLACE: apart, each end on a processor of its own, as on
//                                       two machines; or together, both on one
//
// Prints one JSON object. CPU is user and system time of both processes, over the measured time alone.
#define _GNU_SOURCE
#include "measure.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { header_bytes = 8 + 24 };  // a packet's prefix and a short envelope

// A connected pair over 127.0.0.1, as far as the kernel knows two machines.
static void connect_pair(int ends[2]) {
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  require(bind(listener, (struct sockaddr *)&address, length) == 0, "bind");
  require(listen(listener, 1) == 0, "listen");
  require(getsockname(listener, (struct sockaddr *)&address, &length) == 0, "getsockname");
  ends[0] = socket(AF_INET, SOCK_STREAM, 0);
  require(connect(ends[0], (struct sockaddr *)&address, length) == 0, "connect");
  ends[1] = accept(listener, NULL, NULL);
  require(ends[1] >= 0, "accept");
  close(listener);
  for (int i = 0; i < 2; i++) {
    int on = 1;
    setsockopt(ends[i], IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(ends[i], IPPROTO_TCP, TCP_CONGESTION, "cubic", 5);  // sends at once: BBR paces even here
  }
}

// False at the end of the connection.
static int write_message(int socket, const char *header, const char *payload, size_t bytes) {
  struct iovec pieces[2] = {{(void *)header, header_bytes}, {(void *)payload, bytes}};
  size_t left = header_bytes + bytes;
  struct iovec *first = pieces;
  int count = 2;
  while (left > 0) {
    ssize_t sent = writev(socket, first, count);
    if (sent <= 0) return 0;
    left -= sent;
    while (count > 0 && (size_t)sent >= first->iov_len) {
      sent -= first->iov_len;
      first++;
      count--;
    }
    if (count > 0) {
      first->iov_base = (char *)first->iov_base + sent;
      first->iov_len -= sent;
    }
  }
  return 1;
}

static int read_message(int socket, char *buffer, size_t bytes) {
  for (size_t got = 0; got < bytes;) {
    ssize_t some = read(socket, buffer + got, bytes - got);
    if (some <= 0) return 0;
    got += some;
  }
  return 1;
}

static double cpu_of(int who) {
  struct rusage use;
  getrusage(who, &use);
  return use.ru_utime.tv_sec + use.ru_stime.tv_sec + (use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1e-6;
}

static void *filled(size_t bytes) {
  void *memory = aligned_alloc(4096, (bytes + 8191) & ~(size_t)4095);
  require(memory != NULL, "memory");
  memset(memory, 'x', bytes + header_bytes);
  return memory;
}

static void stream(size_t bytes, double seconds) {
  int ends[2];
  connect_pair(ends);
  char *memory = filled(bytes);
  pid_t sender = fork();
  require(sender >= 0, "fork");
  if (sender == 0) {
    signal(SIGPIPE, SIG_IGN);
    close(ends[0]);
    char header[header_bytes] = {0};
    while (write_message(ends[1], header, memory, bytes)) continue;
    _exit(0);
  }
  close(ends[1]);
  memory = filled(bytes);
  double start = seconds_on(CLOCK_MONOTONIC), end = start, own = cpu_of(RUSAGE_SELF);
  uint64_t messages = 0;
  while (end - start < seconds && read_message(ends[0], memory, header_bytes + bytes)) {
    messages++;
    end = seconds_on(CLOCK_MONOTONIC);
  }
  own = cpu_of(RUSAGE_SELF) - own;
  close(ends[0]);
  require(waitpid(sender, NULL, 0) == sender, "waitpid");
  double gigabytes = messages * (double)bytes * 1e-9;
  printf("{\"gb_per_s\": %.4f, \"cpu_s_per_gb\": %.5f, \"messages_per_s\": %.1f}\n", gigabytes / (end - start),
         (own + cpu_of(RUSAGE_CHILDREN)) / gigabytes, messages / (end - start));
}

// Keeps the process on the first or the last processor that it may use.
static void stay(int on_last) {
  cpu_set_t may, one;
  require(sched_getaffinity(0, sizeof may, &may) == 0, "sched_getaffinity");
  int chosen = -1;
  for (int i = 0; i < CPU_SETSIZE && (on_last || chosen < 0); i++) {
    if (CPU_ISSET(i, &may)) chosen = i;
  }
  CPU_ZERO(&one);
  CPU_SET(chosen, &one);
  require(sched_setaffinity(0, sizeof one, &one) == 0, "sched_setaffinity");
}

static void ping(size_t bytes, int count, int apart) {
  int ends[2];
  connect_pair(ends);
  pid_t echo = fork();
  require(echo >= 0, "fork");
  stay(apart && echo == 0);
  char *memory = filled(bytes), header[header_bytes] = {0};
  if (echo == 0) {
    close(ends[0]);
    while (read_message(ends[1], memory, header_bytes + bytes)) write_message(ends[1], header, memory, bytes);
    _exit(0);
  }
  close(ends[1]);
  double *times = calloc(count, sizeof *times);
  for (int i = -count / 10; i < count; i++) {  // the first tenth warms up
    double start = seconds_on(CLOCK_MONOTONIC);
    require(write_message(ends[0], header, memory, bytes), "write");
    require(read_message(ends[0], memory, header_bytes + bytes), "read");
    if (i >= 0) times[i] = (seconds_on(CLOCK_MONOTONIC) - start) * 1e6;
  }
  close(ends[0]);
  waitpid(echo, NULL, 0);
  double p50 = percentile(times, count, 0.5);
  printf("{\"p50_us\": %.2f, \"p99_us\": %.2f}\n", p50, percentile(times, count, 0.99));
}

int main(int count, char **words) {
  if (count == 4 && strcmp(words[1], "stream") == 0) {
    stream(strtoull(words[2], NULL, 10), atof(words[3]));
  } else if (count == 5 && strcmp(words[1], "ping") == 0) {
    ping(strtoull(words[2], NULL, 10), atoi(words[3]), strcmp(words[4], "apart") == 0);
  } else {
    fprintf(stderr, "usage: socket-floor stream BYTES SECONDS | ping BYTES COUNT apart|together\n");
    return 2;
  }
}
