// Codes with AVX2: a byte product at most 15·128, so that two of them fit 16 bits.

#include "levels.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define EK_LEVEL_NAME(name) name##_avx2

EK_TARGET_PUSH("avx2,fma,f16c,bmi,popcnt")

EK_INLINE __m256i add_products(__m256i sums, __m256i nibbles, __m256i query) {
  __m256i pairs = _mm256_maddubs_epi16(nibbles, query);
  return _mm256_add_epi32(sums, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}

#include "codes_avx.h"

EK_TARGET_POP

#endif
