#pragma once
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

// A BIO that gives bytes in the order in which it took them, and answers "later" when it is empty. OpenSSL's own memory BIO does that too, but writes
// zeros over memory before it is filled and after it is emptied. What lies here is encrypted, so nothing is gained by that.

typedef struct {
  unsigned char *bytes;
  size_t capacity;
  // What waits lies from `start` to `end`.
  size_t start, end;
  // The most that waited since it was last empty.
  size_t most;
} capture_queue;

static inline capture_queue *capture_queue_of(BIO *bio) { return (capture_queue *)BIO_get_data(bio); }

static inline int capture_queue_make_room(capture_queue *queue, size_t count) {
  if (queue->capacity - queue->end >= count) return 1;
  if (queue->start > 0) {
    memmove(queue->bytes, queue->bytes + queue->start, queue->end - queue->start);
    queue->end -= queue->start;
    queue->start = 0;
    if (queue->capacity - queue->end >= count) return 1;
  }
  size_t wanted = queue->end + count;
  size_t capacity = wanted < 2 * queue->capacity ? 2 * queue->capacity : (wanted + 4095) & ~(size_t)4095;
  unsigned char *bytes = (unsigned char *)realloc(queue->bytes, capacity);
  if (bytes == NULL) return 0;
  queue->bytes = bytes;
  queue->capacity = capacity;
  return 1;
}

static int capture_queue_write(BIO *bio, const char *from, int count) {
  capture_queue *queue = capture_queue_of(bio);
  BIO_clear_retry_flags(bio);
  if (count <= 0) return 0;
  if (!capture_queue_make_room(queue, (size_t)count)) return -1;
  memcpy(queue->bytes + queue->end, from, (size_t)count);
  queue->end += (size_t)count;
  if (queue->end - queue->start > queue->most) queue->most = queue->end - queue->start;
  return count;
}

// Forgets the first bytes. After a small message the memory that larger ones took is given back, so that a connection at rest has none from a stream.
static inline void capture_queue_forget(BIO *bio, size_t count) {
  capture_queue *queue = capture_queue_of(bio);
  queue->start += count;
  if (queue->start < queue->end) return;
  queue->start = queue->end = 0;
  if (queue->most <= 2048 && queue->capacity > 4096) {
    free(queue->bytes);
    queue->bytes = NULL;
    queue->capacity = 0;
  }
  queue->most = 0;
}

static inline size_t capture_queue_count(BIO *bio) {
  capture_queue *queue = capture_queue_of(bio);
  return queue->end - queue->start;
}

// The first byte that waits.
static inline const unsigned char *capture_queue_first(BIO *bio) {
  capture_queue *queue = capture_queue_of(bio);
  return queue->bytes + queue->start;
}

static int capture_queue_read(BIO *bio, char *to, int room) {
  size_t waiting = capture_queue_count(bio);
  BIO_clear_retry_flags(bio);
  if (room <= 0) return 0;
  if (waiting == 0) {
    BIO_set_retry_read(bio);
    return -1;
  }
  size_t count = waiting < (size_t)room ? waiting : (size_t)room;
  memcpy(to, capture_queue_first(bio), count);
  capture_queue_forget(bio, count);
  return (int)count;
}

static long capture_queue_control(BIO *bio, int command, long number, void *pointer) {
  (void)number, (void)pointer;
  switch (command) {
    case BIO_CTRL_PENDING: return (long)capture_queue_count(bio);
    case BIO_CTRL_FLUSH: return 1;
    default: return 0;
  }
}

static int capture_queue_create(BIO *bio) {
  void *queue = calloc(1, sizeof(capture_queue));
  if (queue == NULL) return 0;
  BIO_set_data(bio, queue);
  BIO_set_init(bio, 1);
  return 1;
}

static int capture_queue_destroy(BIO *bio) {
  capture_queue *queue = bio == NULL ? NULL : capture_queue_of(bio);
  if (queue == NULL) return 0;
  free(queue->bytes);
  free(queue);
  BIO_set_data(bio, NULL);
  return 1;
}

// To be called once; NULL: no memory.
static inline BIO_METHOD *capture_queue_method(void) {
  BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "queue");
  if (method == NULL) return NULL;
  BIO_meth_set_write(method, capture_queue_write);
  BIO_meth_set_read(method, capture_queue_read);
  BIO_meth_set_ctrl(method, capture_queue_control);
  BIO_meth_set_create(method, capture_queue_create);
  BIO_meth_set_destroy(method, capture_queue_destroy);
  return method;
}
