#if defined(__linux__)
#define _GNU_SOURCE
#endif

#include "CEmbeddingFiles.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

void ef_prefer_huge_pages(void *base, size_t byte_count) {
#if defined(__linux__)
  // Advice: a kernel that does not take it changes nothing.
  (void)madvise(base, byte_count, MADV_HUGEPAGE);
#else
  (void)base;
  (void)byte_count;
#endif
}
