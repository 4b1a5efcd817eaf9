#include <stdlib.h>

#include "levels.h"

const struct ek_kernels *ek_kernels_at(enum ek_level level) {
  if (level == ek_level_scalar) return &ek_table_scalar;
#if defined(__x86_64__)
  __builtin_cpu_init();
  int has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
    && __builtin_cpu_supports("f16c") && __builtin_cpu_supports("bmi")
    && __builtin_cpu_supports("popcnt");
  if (level == ek_level_avx2 && has_avx2) return &ek_table_avx2;
  int has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f")
    && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")
    && __builtin_cpu_supports("avx512dq");
  if (level == ek_level_avx512 && has_avx512) return &ek_table_avx512;
#elif defined(__aarch64__)
  if (level == ek_level_neon) return &ek_table_neon;
#endif
  return NULL;
}

const char *ek_requested_level(void) { return getenv("EMBEDDING_KERNEL_LEVEL"); }
