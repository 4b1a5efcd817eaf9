#include <stdlib.h>

#include "codes.h"

#if defined(__aarch64__) && defined(__APPLE__)
#include <sys/sysctl.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

#if defined(__x86_64__)

static int has_avx2(void) {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
    && __builtin_cpu_supports("f16c") && __builtin_cpu_supports("bmi")
    && __builtin_cpu_supports("popcnt");
}

static int has_avx512(void) {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
    && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
}

#elif defined(__aarch64__)

static int has_dot_product(void) {
#if defined(__APPLE__)
  int value = 0;
  size_t size = sizeof value;
  return sysctlbyname("hw.optional.arm.FEAT_DotProd", &value, &size, NULL, 0) == 0 && value;
#elif defined(__linux__)
  return (getauxval(AT_HWCAP) >> 20 & 1) != 0;  // HWCAP_ASIMDDP
#else
  return 0;
#endif
}

#endif

const struct ek_kernels *ek_kernels_at(enum ek_level level) {
  switch (level) {
  case ek_level_scalar: return &ek_table_scalar;
#if defined(__x86_64__)
  case ek_level_avx2: return has_avx2() ? &ek_table_avx2 : NULL;
  case ek_level_avx512: return has_avx512() ? &ek_table_avx512 : NULL;
  case ek_level_avxvnni:
    return has_avx2() && __builtin_cpu_supports("avxvnni") ? &ek_table_avx2 : NULL;
  case ek_level_avx512vnni:
    return has_avx512() && __builtin_cpu_supports("avx512vnni") ? &ek_table_avx512 : NULL;
#elif defined(__aarch64__)
  case ek_level_neon: return &ek_table_neon;
  case ek_level_neondot: return has_dot_product() ? &ek_table_neon : NULL;
#endif
  default: return NULL;
  }
}

const struct ek_code_kernels *ek_code_kernels_at(enum ek_level level) {
  if (!ek_kernels_at(level)) return NULL;
  switch (level) {
#if defined(__x86_64__)
  case ek_level_avx2:
  case ek_level_avx512: return &ek_code_table_avx2;
  case ek_level_avxvnni: return &ek_code_table_avxvnni;
  case ek_level_avx512vnni: return &ek_code_table_avx512vnni;
#elif defined(__aarch64__)
  case ek_level_neon: return &ek_code_table_neon;
  case ek_level_neondot: return &ek_code_table_neondot;
#endif
  default: return &ek_code_table_scalar;
  }
}

const char *ek_requested_level(void) { return getenv("EMBEDDING_KERNEL_LEVEL"); }
