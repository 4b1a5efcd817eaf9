// Codes with AVX-VNNI: eight rows at a time, four products and their sum in one instruction.

#include "levels.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define EK_LEVEL_NAME(name) name##_avxvnni

EK_TARGET_PUSH("avxvnni,avx2,fma,f16c,bmi,popcnt")

EK_INLINE __m256i add_products(__m256i sums, __m256i nibbles, __m256i query) {
  return _mm256_dpbusd_avx_epi32(sums, nibbles, query);
}

#include "codes_avx.h"

EK_TARGET_POP

#endif
