#if defined(__linux__)
#define _GNU_SOURCE
#endif

#include "CEmbeddingFiles.h"

#include <time.h>

void ef_sleep(uint64_t nanoseconds) {
  struct timespec left = {
      .tv_sec = (time_t)(nanoseconds / 1000000000), .tv_nsec = (long)(nanoseconds % 1000000000)};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}
