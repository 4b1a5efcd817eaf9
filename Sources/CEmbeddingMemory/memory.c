#if defined(__linux__) && !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE
#endif

#include "CEmbeddingMemory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
  cache_line = 64,
  /// From here on whole pages come from the system, already zero and resident only once touched.
  page_threshold = 256 * 1024,
};

void *em_allocate(size_t byte_count) {
  if (byte_count < page_threshold) {
    void *base = NULL;
    return posix_memalign(&base, cache_line, byte_count) == 0 ? base : NULL;
  }
  void *base = mmap(NULL, byte_count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
  return base == MAP_FAILED ? NULL : base;
}

void *em_allocate_zeroed(size_t byte_count) {
  void *base = em_allocate(byte_count);
  if (base != NULL && byte_count < page_threshold) memset(base, 0, byte_count);
  return base;
}

void *em_take(size_t byte_count) {
  void *base = em_allocate(byte_count);
  if (base == NULL) abort();
  return base;
}

void em_free(const void *base, size_t byte_count) {
  if (base == NULL) return;
  if (byte_count < page_threshold) {
    free((void *)base);
  } else {
    (void)munmap((void *)base, byte_count);
  }
}
