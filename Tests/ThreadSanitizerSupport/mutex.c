// Lets the thread sanitizer see Swift's Mutex on Linux.
//
// The fast path of Mutex is compiled into the caller, where the sanitizer follows it. Under
// contention it calls _MutexHandle._lockSlow in the standard library, which is not instrumented, so
// that the sanitizer misses the hand-over and reports races that are none. In a test built with the
// sanitizer this definition takes the place of that function: it waits with instrumented atomics.
// Nothing of this is in any other build. It can go when the toolchain's library is instrumented.

#include "ThreadSanitizerSupport.h"

#if defined(__linux__) && __has_feature(thread_sanitizer)

#define _GNU_SOURCE
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

__attribute__((swiftcall)) void embedding_test_lock_slow(
    uint32_t thread, __attribute__((swift_context)) _Atomic uint32_t *handle)
    __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");

// The word is 0 while the mutex is free, else the owner's thread number. Since no waiter is ever
// noted in it, unlocking stays on the fast path.
__attribute__((swiftcall)) void embedding_test_lock_slow(
    uint32_t thread, __attribute__((swift_context)) _Atomic uint32_t *handle) {
  for (;;) {
    uint32_t expected = 0;
    if (atomic_compare_exchange_weak_explicit(
            handle, &expected, thread, memory_order_acquire, memory_order_relaxed)) {
      return;
    }
    sched_yield();
  }
}

#endif
