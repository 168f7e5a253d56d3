// LD_PRELOAD=seen_mutex.so: the thread sanitizer sees how one thread hands a Mutex of Swift's Synchronization to another.
//
// It sees the atomics of a Mutex that is free, since they are compiled into whoever uses it. A Mutex that another thread holds is locked and unlocked in
// Synchronization's own library, which is not compiled for the sanitizer: what the two threads did under it looked like a race. The two functions below
// stand in front of the library's. `withLockIfAvailable` has a third one, but nobody here uses that.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// Synchronization._MutexHandle._lockSlow(Swift.UInt32) -> () and _unlockSlow() -> ()
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// Of the sanitizer's runtime; other programs that are started do not have them.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

typedef __attribute__((swiftcall)) void Lock(uint32_t thread, __attribute__((swift_context)) void *mutex);
typedef __attribute__((swiftcall)) void Unlock(__attribute__((swift_context)) void *mutex);
static Lock *lock;
static Unlock *unlock;

Lock seen_lock __asm__(LOCK);
Unlock seen_unlock __asm__(UNLOCK);

__attribute__((constructor)) static void find(void) {
  lock = (Lock *)dlsym(RTLD_NEXT, LOCK);
  unlock = (Unlock *)dlsym(RTLD_NEXT, UNLOCK);
  if (!__tsan_acquire || (lock && unlock)) return;
  fprintf(stderr, "Swift's Mutex has other functions now: see Tests/Support/seen_mutex.c\n");
  abort();
}

__attribute__((swiftcall)) void seen_lock(uint32_t thread, __attribute__((swift_context)) void *mutex) {
  lock(thread, mutex);
  if (__tsan_acquire) __tsan_acquire(mutex);
}

__attribute__((swiftcall)) void seen_unlock(__attribute__((swift_context)) void *mutex) {
  if (__tsan_release) __tsan_release(mutex);
  unlock(mutex);
}
