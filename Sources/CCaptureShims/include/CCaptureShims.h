#pragma once
// What Swift cannot import: macros with casts, variadic calls, and functions behind feature macros.

#include <malloc.h>
#include <netinet/in.h>
#include <stddef.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "CCaptureVideo.h"

/// ioctl(2) with a pointer argument, not variadic.
int capture_ioctl(int descriptor, unsigned long request, void *argument);

/// open(2) with a mode, not variadic.
int capture_open(const char *path, int flags, mode_t mode);

/// fcntl(2) with an integer argument, not variadic.
int capture_fcntl(int descriptor, int command, int argument);

/// accept4(2), which hides behind a feature macro.
int capture_accept(int descriptor, struct sockaddr *peer, socklen_t *size, int flags);

/// How many bytes a second a TCP connection's peer has lately acknowledged, as the kernel estimates; 0: it does not know.
uint64_t capture_delivery_rate(int descriptor);

/// `ppoll(2)` without a signal mask. `nanoseconds` -1: without a time limit.
int capture_poll(struct pollfd *entries, unsigned long count, int64_t nanoseconds);

/// Names a thread, in at most 15 bytes (`pthread_setname_np`).
void capture_name_thread(pthread_t thread, const char *name);

/// memcpy(3) for memory that nobody reads soon: where the processor can (SSE2), the bytes go past its caches, and what is in these stays.
void capture_copy_past_cache(void *to, const void *from, size_t count);

/// memfd_create(2), closed on exec.
int capture_memory_file(const char *name);

/// syncfs(2), which hides behind a feature macro.
int capture_sync_file_system(int descriptor);

/// renameat2(2) that replaces nothing (RENAME_NOREPLACE).
int capture_rename_new(const char *from, const char *to);
