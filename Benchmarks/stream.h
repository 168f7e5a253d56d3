// A connected socket's stream of bytes. Built with -DENCRYPTED it is OpenSSL's over that socket: TLS 1.3 with the suite that both prefer, and no buffers
// while it rests.
#pragma once

#include "measure.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#ifdef ENCRYPTED
#include <openssl/ssl.h>

typedef SSL *Secret;

static inline SSL_CTX *secret_context(int is_server) {
  static SSL_CTX *context;
  if (context != NULL) return context;
  context = SSL_CTX_new(is_server ? TLS_server_method() : TLS_client_method());
  require(context != NULL && SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION), "TLS");
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_num_tickets(context, 0);
  if (is_server) {
    const char *identity = getenv("FLOOR_IDENTITY");  // a key and its certificate, in PEM
    require(identity != NULL && SSL_CTX_use_PrivateKey_file(context, identity, SSL_FILETYPE_PEM) == 1 &&
                SSL_CTX_use_certificate_file(context, identity, SSL_FILETYPE_PEM) == 1, "the identity in $FLOOR_IDENTITY");
  }
  return context;
}

// Shakes hands, while the socket still blocks.
static inline Secret secret_of(int socket, int is_server) {
  SSL *tls = SSL_new(secret_context(is_server));
  require(tls != NULL && SSL_set_fd(tls, socket) == 1, "TLS");
  require((is_server ? SSL_accept(tls) : SSL_connect(tls)) == 1, "the handshake");
  return tls;
}

// As read(2): -1 and EAGAIN where there is nothing.
static inline ssize_t read_stream(int socket, Secret tls, void *bytes, size_t count) {
  (void)socket;
  int some = SSL_read(tls, bytes, (int)count);
  if (some > 0) return some;
  int error = SSL_get_error(tls, some);
  if (error == SSL_ERROR_ZERO_RETURN || (error == SSL_ERROR_SYSCALL && errno == 0)) return 0;
  errno = error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? EAGAIN : EIO;
  return -1;
}

static inline ssize_t write_stream(int socket, Secret tls, const struct iovec *pieces, int count) {
  (void)socket;
  ssize_t total = 0;
  for (int i = 0; i < count; i++) {
    size_t done = 0;
    while (done < pieces[i].iov_len) {
      int some = SSL_write(tls, (const char *)pieces[i].iov_base + done, (int)(pieces[i].iov_len - done));
      if (some <= 0) {
        errno = EAGAIN;
        return total > 0 ? total : -1;
      }
      done += some;
      total += some;
    }
  }
  return total;
}

// Whether bytes are there that the socket does not announce.
static inline int has_more(Secret tls) { return SSL_has_pending(tls); }
#else
typedef int Secret;
static inline Secret secret_of(int socket, int is_server) { return (void)socket, is_server; }
static inline ssize_t read_stream(int socket, Secret tls, void *bytes, size_t count) { return (void)tls, read(socket, bytes, count); }
static inline ssize_t write_stream(int socket, Secret tls, const struct iovec *pieces, int count) {
  return (void)tls, writev(socket, pieces, count);
}
static inline int has_more(Secret tls) { return (void)tls, 0; }
#endif

static inline void unblock(int socket) { fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK); }
