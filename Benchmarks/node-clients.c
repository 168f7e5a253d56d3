// Many clients of a node's camera in one thread, with as little work as fanout-floor's clients: what is metered is the node.
//
//   node-clients PID PORT CLIENTS SECONDS WARM
//   node-clients --credit                         prints how each client grants frames
//
// Each subscribes to the first camera's own JPEG. The node may have four frames on their way to it, and is granted two more when two were
// read: so a Credit comes for every second frame, where the client library of a window of two sends one for each. The bytes of all pictures are read into one
// buffer. node-clients-tls is the same over TLS (stream.h). Measures once every client has had a frame and WARM seconds are over. Prints one JSON object; the CPU is the node's alone.
#include "CCaptureProto.h"
#include "measure.h"
#include "stream.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/socket.h>

enum { most_clients = 1000, prefix_bytes = 8, ahead_bytes = 512, most_envelope_bytes = 4096, chunk_bytes = 262144 };
enum { call = 1, first_credit = 4, credit_step = 2 };

typedef struct {
  int socket;
  Secret secret;
  uint8_t head[prefix_bytes + most_envelope_bytes];
  size_t got;         // of the prefix, the envelope and what was read beyond them
  size_t chunk_left;  // of the packet under way, not read yet
  uint64_t left;      // of the picture under way
  uint64_t taken_ns;  // the picture's time
  uint32_t to_grant;
  uint64_t frames;
} Client;

typedef struct {
  uint64_t frames, discarded;
  double *latencies;
  size_t room;
} Tally;

static uint32_t number(const uint8_t *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

// No chunk goes to the node. A socket that takes no more of so little is broken.
static void send_envelope(const Client *client, const Capture__V1__Envelope *envelope) {
  uint8_t packet[prefix_bytes + 1024] = {0};
  size_t length = capture__v1__envelope__get_packed_size(envelope);
  require(length <= sizeof packet - prefix_bytes, "an envelope too long");
  packet[2] = length >> 8;
  packet[3] = length & 0xFF;
  capture__v1__envelope__pack(envelope, packet + prefix_bytes);
  struct iovec whole = {packet, prefix_bytes + length};
  require(write_stream(client->socket, client->secret, &whole, 1) == (ssize_t)(prefix_bytes + length), "send");
}

static void subscribe(const Client *client) {
  Capture__V1__Hello hello = CAPTURE__V1__HELLO__INIT;
  hello.version = 1;
  hello.agent = "node-clients";
  Capture__V1__Envelope envelope = CAPTURE__V1__ENVELOPE__INIT;
  envelope.kind_case = CAPTURE__V1__ENVELOPE__KIND_HELLO;
  envelope.hello = &hello;
  send_envelope(client, &envelope);

  Capture__V1__Rendition rendition = CAPTURE__V1__RENDITION__INIT;
  rendition.encoding = CAPTURE__V1__ENCODING__ENCODING_JPEG;
  rendition.source_pixel_format = 'M' | 'J' << 8 | 'P' << 16 | 'G' << 24;
  Capture__V1__SubscribeRequest wanted = CAPTURE__V1__SUBSCRIBE_REQUEST__INIT;
  wanted.device = "0";
  wanted.rendition = &rendition;
  uint8_t body[256];
  Capture__V1__Request request = CAPTURE__V1__REQUEST__INIT;
  request.method = "capture.v1.Video/Subscribe";
  request.credit = first_credit;
  request.last = true;
  request.body = (ProtobufCBinaryData){capture__v1__subscribe_request__pack(&wanted, body), body};
  envelope.call_id = call;
  envelope.kind_case = CAPTURE__V1__ENVELOPE__KIND_REQUEST;
  envelope.request = &request;
  send_envelope(client, &envelope);
}

static void grant(Client *client) {
  if (++client->to_grant < credit_step) return;
  Capture__V1__Credit credit = CAPTURE__V1__CREDIT__INIT;
  credit.messages = client->to_grant;
  Capture__V1__Envelope envelope = CAPTURE__V1__ENVELOPE__INIT;
  envelope.call_id = call;
  envelope.kind_case = CAPTURE__V1__ENVELOPE__KIND_CREDIT;
  envelope.credit = &credit;
  send_envelope(client, &envelope);
  client->to_grant = 0;
}

static void begin_picture(Client *client, const Capture__V1__Message *message, Tally *tally) {
  Capture__V1__VideoFrame *frame = capture__v1__video_frame__unpack(NULL, message->body.len, message->body.data);
  require(frame != NULL && frame->info != NULL && message->payload_length > 0, "a message that is no picture");
  client->left = message->payload_length;
  client->taken_ns = frame->info->timestamp_ns;
  tally->discarded += frame->discarded;
  capture__v1__video_frame__free_unpacked(frame, NULL);
}

static void handle(Client *client, const uint8_t *bytes, size_t length, Tally *tally) {
  Capture__V1__Envelope *envelope = capture__v1__envelope__unpack(NULL, length, bytes);
  require(envelope != NULL, "an envelope that does not parse");
  switch (envelope->kind_case) {
  case CAPTURE__V1__ENVELOPE__KIND_MESSAGE:
    begin_picture(client, envelope->message, tally);
    break;
  case CAPTURE__V1__ENVELOPE__KIND_CHUNK:
    if (envelope->chunk->abort) client->left = 0;
    break;
  case CAPTURE__V1__ENVELOPE__KIND_STATUS:
    fprintf(stderr, "node-clients: %s\n", envelope->status->text);
    exit(1);
  default:
    break;  // Hello; a Ping comes only to who is silent
  }
  capture__v1__envelope__free_unpacked(envelope, NULL);
}

// So much of the picture is there.
static void took(Client *client, size_t bytes, Tally *tally) {
  client->chunk_left -= bytes;
  client->left -= bytes;
  if (bytes == 0 || client->left > 0) return;
  client->frames++;
  tally->frames++;
  double latency = seconds_on(CLOCK_MONOTONIC) * 1e3 - client->taken_ns * 1e-6;
  if (tally->frames <= tally->room) tally->latencies[tally->frames - 1] = latency;
  grant(client);
}

// What `head` has: whole envelopes, and the beginning of a chunk behind them.
static void parse(Client *client, char *picture, Tally *tally) {
  size_t at = 0;
  while (client->got - at >= prefix_bytes) {
    size_t envelope = number(client->head + at), whole = prefix_bytes + envelope;
    require(envelope <= most_envelope_bytes, "an envelope too long");
    if (client->got - at < whole) break;
    client->chunk_left = number(client->head + at + 4);
    handle(client, client->head + at + prefix_bytes, envelope, tally);
    at += whole;
    size_t some = client->got - at < client->chunk_left ? client->got - at : client->chunk_left;
    memcpy(picture, client->head + at, some);
    took(client, some, tally);
    at += some;
    if (client->chunk_left > 0) break;
  }
  memmove(client->head, client->head + at, client->got - at);
  client->got -= at;
}

static void read_some(Client *client, char *picture, Tally *tally) {
  bool in_chunk = client->chunk_left > 0;
  size_t room = sizeof client->head - client->got;
  ssize_t some = in_chunk ? read_stream(client->socket, client->secret, picture, client->chunk_left)
                          : read_stream(client->socket, client->secret, client->head + client->got, room < ahead_bytes ? room : ahead_bytes);
  if (some < 0 && errno == EAGAIN) return;
  require(some > 0, "the node closed a connection");
  if (in_chunk) {
    took(client, some, tally);
  } else {
    client->got += some;
    parse(client, picture, tally);
  }
}

int main(int count, char **words) {
  if (count == 2 && strcmp(words[1], "--credit") == 0) {
    printf("%d frames on their way, and a Credit for every %d\n", first_credit, credit_step);
    return 0;
  }
  int clients = count == 6 ? atoi(words[3]) : 0;
  if (clients < 1 || clients > most_clients) {
    fprintf(stderr, "usage: node-clients PID PORT CLIENTS SECONDS WARM | --credit\n");
    return 2;
  }
  int node = atoi(words[1]);
  double seconds = atof(words[4]), warm = atof(words[5]);
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(atoi(words[2])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  clockid_t clock;
  require(clock_getcpuclockid(node, &clock) == 0, "the node's clock");
  Client *all = calloc(clients, sizeof *all);
  Tally tally = {.room = 1 << 20};
  tally.latencies = malloc(tally.room * sizeof *tally.latencies);
  char *picture = malloc(chunk_bytes);
  require(all != NULL && tally.latencies != NULL && picture != NULL, "memory");
  int poll = epoll_create1(0);
  for (Client *client = all; client < all + clients; client++) {
    int on = 1;
    client->socket = socket(AF_INET, SOCK_STREAM, 0);
    require(connect(client->socket, (const struct sockaddr *)&address, sizeof address) == 0, "connect");
    setsockopt(client->socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    client->secret = secret_of(client->socket, 0);
    unblock(client->socket);
    subscribe(client);
    struct epoll_event event = {EPOLLIN, {.ptr = client}};
    epoll_ctl(poll, EPOLL_CTL_ADD, client->socket, &event);
  }
  double opened = seconds_on(CLOCK_MONOTONIC), start = 0, cpu = 0;
  for (;;) {
    struct epoll_event events[64];
    int ready = epoll_wait(poll, events, 64, 100);
    for (int i = 0; i < ready; i++) {
      Client *client = events[i].data.ptr;
      do read_some(client, picture, &tally);
      while (has_more(client->secret));
    }
    double now = seconds_on(CLOCK_MONOTONIC);
    if (start == 0) {
      bool all_run = now - opened >= warm;
      for (int i = 0; i < clients && all_run; i++) all_run = all[i].frames > 0;
      if (!all_run) continue;
      start = now;
      cpu = seconds_on(clock);
      tally.frames = tally.discarded = 0;
    } else if (now - start >= seconds) {
      cpu = seconds_on(clock) - cpu;
      seconds = now - start;
      break;
    }
  }
  require(tally.frames > 0 && tally.frames <= tally.room, "no frame came, or too many");
  size_t frames = tally.frames;
  printf("{\"cpu_ms_per_client_frame\": %.5f, \"fps\": %.2f, \"discarded\": %lu, \"latency_p50_ms\": %.3f, \"latency_p99_ms\": %.3f, "
         "\"threads\": %.0f, \"rss_mb\": %.2f}\n",
         cpu * 1e3 / frames, frames / seconds / clients, tally.discarded, percentile(tally.latencies, frames, 0.5),
         percentile(tally.latencies, frames, 0.99), status_of(node, "Threads"), status_of(node, "VmRSS") / 1024);
}
