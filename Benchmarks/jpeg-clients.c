// Many clients of a server that sends JPEGs over TCP, bare or in HTTP's multipart: counts the pictures, and meters the server.
//
//   jpeg-clients PID PORT CLIENTS SECONDS [PATH]
//
// With PATH each client asks for it by HTTP. A picture is counted where it begins: FF D8 FF is nowhere else in a JPEG without a
// thumbnail. Measures once every client has had three pictures. Prints one JSON object; the CPU is the server's alone.
#define _GNU_SOURCE  // memmem
#include "measure.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { most_clients = 1000, warm = 3 };

typedef struct {
  int socket;
  int matched;  // bytes of a picture's beginning at the end of what came
  uint64_t pictures;
} Client;

static uint64_t beginnings(Client *client, const unsigned char *bytes, size_t count) {
  static const unsigned char marker[3] = {0xFF, 0xD8, 0xFF};
  uint64_t found = 0;
  size_t at = 0;
  for (; client->matched > 0 && at < count; at++) {
    if (bytes[at] == marker[client->matched]) {
      if (++client->matched < 3) continue;
      found++;
    }
    client->matched = bytes[at] == 0xFF ? 1 : 0;
    if (client->matched == 0) break;
  }
  if (at >= count) return found;
  const unsigned char *next = bytes + at, *end = bytes + count;
  while ((next = memmem(next, end - next, marker, 3)) != NULL) {
    found++;
    next += 2;  // the last byte may begin another
  }
  client->matched = 0;
  if (end - bytes >= 2 && end[-2] == 0xFF && end[-1] == 0xD8) client->matched = 2;
  else if (end[-1] == 0xFF) client->matched = 1;
  return found;
}

int main(int words, char **word) {
  int count = words >= 5 ? atoi(word[3]) : 0;
  if (count < 1 || count > most_clients || words > 6) {
    fprintf(stderr, "usage: jpeg-clients PID PORT CLIENTS SECONDS [PATH]\n");
    return 2;
  }
  int process = atoi(word[1]);
  double seconds = atof(word[4]);
  clockid_t cpu;
  require(clock_getcpuclockid(process, &cpu) == 0, "no such process");

  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(atoi(word[2])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  Client *clients = calloc(count, sizeof *clients);
  int poll = epoll_create1(0);
  for (int i = 0; i < count; i++) {
    clients[i].socket = socket(AF_INET, SOCK_STREAM, 0);
    require(connect(clients[i].socket, (struct sockaddr *)&address, sizeof address) == 0, "connect");
    if (words == 6) dprintf(clients[i].socket, "GET %s HTTP/1.0\r\nHost: localhost\r\n\r\n", word[5]);
    fcntl(clients[i].socket, F_SETFL, O_NONBLOCK);
    struct epoll_event event = {EPOLLIN, {.ptr = &clients[i]}};
    epoll_ctl(poll, EPOLL_CTL_ADD, clients[i].socket, &event);
  }

  static unsigned char buffer[1 << 18];
  double began = seconds_on(CLOCK_MONOTONIC), start = 0, start_cpu = 0, now = 0;
  uint64_t pictures = 0, bytes = 0;
  int behind = count;
  while (start == 0 || now - start < seconds) {
    struct epoll_event events[64];
    int ready = epoll_wait(poll, events, 64, 1000);
    now = seconds_on(CLOCK_MONOTONIC);
    require(start != 0 || now - began < 30, "no pictures within 30 s");
    for (int i = 0; i < ready; i++) {
      Client *client = events[i].data.ptr;
      ssize_t some = read(client->socket, buffer, sizeof buffer);
      if (some < 0 && errno == EAGAIN) continue;
      require(some > 0, "the server closed");
      uint64_t before = client->pictures, found = beginnings(client, buffer, some);
      client->pictures += found;
      if (before < warm && client->pictures >= warm) behind--;
      if (start != 0) pictures += found, bytes += some;
    }
    if (start == 0 && behind == 0) start = now, start_cpu = seconds_on(cpu);
  }
  require(pictures > 0, "no pictures");
  printf("{\"cpu_ms_per_client_frame\": %.5f, \"fps\": %.2f, \"frame_bytes\": %.0f, \"threads\": %.0f, \"rss_mb\": %.2f}\n",
         (seconds_on(cpu) - start_cpu) * 1e3 / pictures, pictures / (now - start) / count, (double)bytes / pictures,
         status_of(process, "Threads"), status_of(process, "VmRSS") / 1024);
}
