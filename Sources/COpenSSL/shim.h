#pragma once
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <sys/auxv.h>
#include <sys/random.h>

#include "queue_bio.h"

// Swift imports neither macros that are calls nor functions with a variable number of arguments.

static inline int capture_tls_only_13(SSL_CTX *context) {
  return SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) && SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION);
}

static inline void capture_tls_keep_nothing(SSL_CTX *context) {
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context, 0);
  SSL_CTX_set_max_early_data(context, 0);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION);
}

static inline void capture_tls_own_order(SSL_CTX *context) {
  SSL_CTX_set_options(context, SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
}

static inline int capture_tls_groups(SSL_CTX *context, const char *list) { return (int)SSL_CTX_set1_groups_list(context, list); }

static inline int capture_tls_server_name(SSL *session, const char *name) {
  return (int)SSL_set_tlsext_host_name(session, name);
}

// Takes a certificate of the chain behind the node's own; the context counts its own reference.
static inline int capture_tls_add_chain(SSL_CTX *context, X509 *certificate) {
  return (int)SSL_CTX_add1_chain_cert(context, certificate);
}

// What a memory BIO holds.
static inline size_t capture_bio_contents(BIO *memory, const unsigned char **bytes) {
  char *start = NULL;
  long count = BIO_get_mem_data(memory, &start);
  *bytes = (const unsigned char *)start;
  return count > 0 ? (size_t)count : 0;
}

// For a key that has a password OpenSSL would ask the terminal: there is none.
static inline int capture_no_password(char *buffer, int size, int writes, void *data) {
  (void)buffer, (void)size, (void)writes, (void)data;
  return -1;
}

static inline EVP_PKEY *capture_pem_key(BIO *bio) { return PEM_read_bio_PrivateKey(bio, NULL, capture_no_password, NULL); }

static inline EVP_PKEY *capture_p256_key(void) { return EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256"); }

// Whether this processor has instructions for AES, as far as its own name for them goes: x86 says so by CPUID, ARM by the kernel's AT_HWCAP.
static inline int capture_x86_has_aes(void) {
#if defined(__x86_64__) || defined(__i386__)
  return __builtin_cpu_supports("aes") != 0;
#else
  return 0;
#endif
}
