// The floor of many clients on one stream: an edge-triggered epoll server, one writev a client and frame, newest wins.
//
//   fanout-floor CLIENTS BYTES RATE SECONDS [PROGRAM | --spin MICROSECONDS]
//
// All clients are in a second process. Prints one JSON object; the CPU is the server's alone.
//
// With PROGRAM that one is the server: it is run as PROGRAM BYTES RATE, prints the port that it listens on, and sends the same frames
// with the same headers. It is metered once every client has had three frames.
//
// With --spin the server spends so much of a processor more on each frame: a part of it before each client's.
//
// fanout-floor-tls is the same over TLS (stream.h).
#include "fanout.h"
#include "measure.h"
#include "stream.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

enum { most_clients = 1000, warm = 3 };

typedef struct {
  int socket;
  Secret secret;
  int waiting;   // a newer frame than the one under way
  size_t left;   // of the frame under way
  Header header, next;
} Client;

typedef struct {
  double cpu, kb_at_rest;
  uint64_t frames, discarded;
} Report;

typedef struct {
  pid_t process;
  double seconds;  // to measure
} Peer;

// Sends until the socket takes no more; then the next EPOLLOUT continues.
static void send_some(Client *client, const char *payload, size_t bytes) {
  for (;;) {
    if (client->left == 0) {
      if (!client->waiting) return;
      client->waiting = 0;
      client->header = client->next;
      client->left = header_bytes + bytes;
    }
    size_t done = header_bytes + bytes - client->left;
    struct iovec pieces[2] = {{(char *)&client->header + done, header_bytes - done}, {(void *)payload, bytes}};
    struct iovec *first = pieces;
    if (done >= header_bytes) {
      first++;
      first->iov_base = (char *)payload + (done - header_bytes);
      first->iov_len = client->left;
    }
    ssize_t sent = write_stream(client->socket, client->secret, first, (int)(pieces + 2 - first));
    if (sent < 0) return;
    client->left -= sent;
  }
}

// Memory that is this process's own.
static double private_kb(void) {
  char line[256];
  double value = 0;
  FILE *file = fopen("/proc/self/smaps_rollup", "r");
  require(file != NULL, "smaps_rollup");
  while (fgets(line, sizeof line, file) != NULL) {
    if (strncmp(line, "Private_Dirty:", 14) == 0) value = atof(line + 14);
  }
  fclose(file);
  return value;
}

static void spin(double seconds) {
  for (double end = seconds_on(CLOCK_MONOTONIC) + seconds; seconds_on(CLOCK_MONOTONIC) < end;) {
  }
}

// `extra`: seconds to spin for, per frame.
static void serve(int listener, int count, size_t bytes, double rate, double seconds, double extra, Report *report) {
  char *payload = malloc(bytes);
  require(payload != NULL, "memory");
  memset(payload, 'x', bytes);
  Client *clients = calloc(count, sizeof *clients);
  int poll = epoll_create1(0), timer = timerfd_create(CLOCK_MONOTONIC, 0);
  double before = 0;
  for (int i = 0; i < count; i++) {
    int on = 1, unsent = 128 << 10;
    clients[i].socket = accept(listener, NULL, NULL);
    require(clients[i].socket >= 0, "accept");
    clients[i].secret = secret_of(clients[i].socket, 1);
    unblock(clients[i].socket);
    if (i == 0) before = private_kb();
    setsockopt(clients[i].socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(clients[i].socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, sizeof unsent);
    struct epoll_event event = {EPOLLOUT | EPOLLET, {.ptr = &clients[i]}};
    epoll_ctl(poll, EPOLL_CTL_ADD, clients[i].socket, &event);
  }
  if (count > 1) report->kb_at_rest = (private_kb() - before) / (count - 1);
  long period = (long)(1e9 / rate);
  // As a camera's, a frame's time is when it was due, not when the server came to it.
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  now.tv_sec++;
  double due = now.tv_sec + now.tv_nsec * 1e-9;
  struct itimerspec every = {{period / 1000000000, period % 1000000000}, now};
  timerfd_settime(timer, TFD_TIMER_ABSTIME, &every, NULL);
  struct epoll_event tick = {EPOLLIN, {.ptr = NULL}};
  epoll_ctl(poll, EPOLL_CTL_ADD, timer, &tick);

  double end = due + seconds, cpu = seconds_on(CLOCK_PROCESS_CPUTIME_ID);
  while (seconds_on(CLOCK_MONOTONIC) < end) {
    struct epoll_event events[64];
    int ready = epoll_wait(poll, events, 64, 100);
    for (int i = 0; i < ready; i++) {
      if (events[i].data.ptr != NULL) {
        send_some(events[i].data.ptr, payload, bytes);
        continue;
      }
      uint64_t ticks;
      require(read(timer, &ticks, sizeof ticks) == sizeof ticks, "timer");
      double sent = due + (ticks - 1) * period * 1e-9;
      due = sent + period * 1e-9;
      for (Client *client = clients; client < clients + count; client++) {
        report->discarded += client->waiting;
        client->next.sent = sent;
        client->waiting = 1;
        if (extra > 0) spin(extra / count);
        send_some(client, payload, bytes);
      }
    }
  }
  report->cpu = seconds_on(CLOCK_PROCESS_CPUTIME_ID) - cpu;
}

typedef struct {
  int socket;
  Secret secret;
  size_t got;  // of the frame under way
  uint64_t frames;
  Header header;
} Stream;

// Until the server closes, or so long as `peer` says.
static void receive(int count, size_t bytes, const struct sockaddr_in *address, Report *report, const Peer *peer) {
  Stream *streams = calloc(count, sizeof *streams);
  char *buffer = malloc(bytes);
  size_t room = 1 << 20, latencies = 0;
  double *latency = malloc(room * sizeof *latency);
  require(buffer != NULL && latency != NULL, "memory");
  int poll = epoll_create1(0), open = count, behind = count;
  clockid_t cpu = CLOCK_MONOTONIC;
  require(peer == NULL || clock_getcpuclockid(peer->process, &cpu) == 0, "the server's clock");
  double start = 0;
  for (int i = 0; i < count; i++) {
    streams[i].socket = socket(AF_INET, SOCK_STREAM, 0);
    require(connect(streams[i].socket, (const struct sockaddr *)address, sizeof *address) == 0, "connect");
    streams[i].secret = secret_of(streams[i].socket, 0);
    unblock(streams[i].socket);
    struct epoll_event event = {EPOLLIN, {.ptr = &streams[i]}};
    epoll_ctl(poll, EPOLL_CTL_ADD, streams[i].socket, &event);
  }
  while (open > 0) {
    struct epoll_event events[64];
    int ready = epoll_wait(poll, events, 64, -1);
    for (int i = 0; i < ready; i++) {
      Stream *stream = events[i].data.ptr;
    again:;
      size_t body = stream->got < header_bytes ? 0 : stream->got - header_bytes;
      char *into = stream->got < header_bytes ? (char *)&stream->header + stream->got : buffer + body;
      size_t want = stream->got < header_bytes ? header_bytes - stream->got : bytes - body;
      ssize_t some = read_stream(stream->socket, stream->secret, into, want);
      if (some < 0 && errno == EAGAIN) continue;
      if (some <= 0) {
        close(stream->socket);
        open--;
        continue;
      }
      stream->got += some;
      if (stream->got < header_bytes + bytes) {
        if (has_more(stream->secret)) goto again;
        continue;
      }
      stream->got = 0;
      report->frames++;
      if (++stream->frames == warm) behind--;
      if (latencies < room) latency[latencies++] = (seconds_on(CLOCK_MONOTONIC) - stream->header.sent) * 1e3;
      if (has_more(stream->secret)) goto again;
    }
    if (peer == NULL || behind > 0) continue;
    if (start == 0) {
      start = seconds_on(CLOCK_MONOTONIC);
      report->cpu = seconds_on(cpu);
      report->frames = latencies = 0;
    } else if (seconds_on(CLOCK_MONOTONIC) - start >= peer->seconds) {
      report->cpu = seconds_on(cpu) - report->cpu;
      break;
    }
  }
  require(latencies > 0, "no frame came");
  double p50 = percentile(latency, latencies, 0.5), p99 = percentile(latency, latencies, 0.99);
  printf("{\"cpu_ms_per_client_frame\": %.5f, \"frames\": %lu, \"discarded\": %lu, \"latency_p50_ms\": %.3f, "
         "\"latency_p99_ms\": %.3f, \"kb_at_rest\": %.1f", report->cpu * 1e3 / report->frames, report->frames, report->discarded, p50, p99,
         report->kb_at_rest);
  if (peer != NULL) {
    printf(", \"threads\": %.0f, \"rss_mb\": %.2f", status_of(peer->process, "Threads"),
           status_of(peer->process, "VmRSS") / 1024);
  }
  printf("}\n");
}

// Starts the server, meters it and ends it.
static void run_peer(const char *program, char **words, int clients, size_t bytes, Report *report) {
  int output[2];
  require(pipe(output) == 0, "pipe");
  Peer peer = {fork(), atof(words[4])};
  require(peer.process >= 0, "fork");
  if (peer.process == 0) {
    dup2(output[1], STDOUT_FILENO);
    close(output[0]);
    close(output[1]);
    execlp(program, program, words[2], words[3], NULL);
    perror(program);
    _exit(127);
  }
  close(output[1]);
  char line[32] = "";
  require(read(output[0], line, sizeof line - 1) > 0, "the server says no port");
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(atoi(line)), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  receive(clients, bytes, &address, report, &peer);
  kill(peer.process, SIGKILL);
  waitpid(peer.process, NULL, 0);
}

int main(int count, char **words) {
  bool spins = count == 7 && strcmp(words[5], "--spin") == 0;
  int clients = count == 5 || count == 6 || spins ? atoi(words[1]) : 0;
  if (clients < 1 || clients > most_clients) {
    fprintf(stderr, "usage: fanout-floor CLIENTS BYTES RATE SECONDS [PROGRAM | --spin MICROSECONDS]\n");
    return 2;
  }
  size_t bytes = strtoull(words[2], NULL, 10);
  signal(SIGPIPE, SIG_IGN);
  if (count == 6) {
    Report metered = {0};
    run_peer(words[5], words, clients, bytes, &metered);
    return 0;
  }
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  // Connections take it over. It sends at once, where BBR paces even here, also in one that has CUBIC only later.
  setsockopt(listener, IPPROTO_TCP, TCP_CONGESTION, "cubic", 5);
  require(bind(listener, (struct sockaddr *)&address, length) == 0 && listen(listener, clients) == 0, "listen");
  getsockname(listener, (struct sockaddr *)&address, &length);

  Report *report = mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  require(report != MAP_FAILED, "mmap");
  pid_t server = fork();
  require(server >= 0, "fork");
  if (server == 0) {
    serve(listener, clients, bytes, atof(words[3]), atof(words[4]), spins ? atof(words[6]) * 1e-6 : 0, report);
    _exit(0);
  }
  close(listener);
  receive(clients, bytes, &address, report, NULL);
  waitpid(server, NULL, 0);
}
