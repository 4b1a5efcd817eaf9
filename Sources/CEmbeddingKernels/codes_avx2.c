// Codes with AVX2: a byte product is at most 15·128, so that the sum of 16 of them fits 16 bits.

#include "codes.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define EK_LEVEL_NAME(name) name##_avx2

EK_TARGET_PUSH("avx2,fma,f16c,bmi,popcnt")

EK_INLINE __m256i add_products(__m256i sums, __m256i nibbles, __m256i query) {
  __m256i pairs = _mm256_maddubs_epi16(nibbles, query);
  return _mm256_add_epi32(sums, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}

/// Four steps of `ek_scan`: 16 products in each 16-bit lane before they are widened.
EK_INLINE __m256i add_four_lines(
  __m256i sums, const uint8_t *lines, const int8_t *low, const int8_t *high
) {
  const __m256i mask = _mm256_set1_epi8(15);
  __m256i pairs = _mm256_setzero_si256();
  for (size_t t = 0; t < 4; t++) {
    __m256i codes = _mm256_loadu_si256(
      (const __m256i *)(const void *)(lines + t * ek_code_line_bytes));
    pairs = _mm256_add_epi16(
      pairs,
      _mm256_maddubs_epi16(
        _mm256_and_si256(codes, mask), _mm256_set1_epi32(ek_query_word(low + 4 * t))));
    pairs = _mm256_add_epi16(
      pairs,
      _mm256_maddubs_epi16(
        _mm256_and_si256(_mm256_srli_epi16(codes, 4), mask),
        _mm256_set1_epi32(ek_query_word(high + 4 * t))));
  }
  return _mm256_add_epi32(sums, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}

#include "codes_avx.h"

EK_TARGET_POP

#endif
