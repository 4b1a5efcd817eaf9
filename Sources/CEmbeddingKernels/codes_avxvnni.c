// Codes with AVX-VNNI: eight rows at a time, four products and their sum in one instruction.

#include "codes.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define EK_LEVEL_NAME(name) name##_avxvnni

EK_TARGET_PUSH("avxvnni,avx2,fma,f16c,bmi,popcnt")

EK_INLINE __m256i add_products(__m256i sums, __m256i nibbles, __m256i query) {
  return _mm256_dpbusd_avx_epi32(sums, nibbles, query);
}

/// Four steps of `ek_scan`.
EK_INLINE __m256i add_four_lines(
  __m256i sums, const uint8_t *lines, const int8_t *low, const int8_t *high
) {
  const __m256i mask = _mm256_set1_epi8(15);
  for (size_t t = 0; t < 4; t++) {
    __m256i codes = _mm256_loadu_si256(
      (const __m256i *)(const void *)(lines + t * ek_code_line_bytes));
    sums = add_products(
      sums, _mm256_and_si256(codes, mask), _mm256_set1_epi32(ek_query_word(low + 4 * t)));
    sums = add_products(
      sums, _mm256_and_si256(_mm256_srli_epi16(codes, 4), mask),
      _mm256_set1_epi32(ek_query_word(high + 4 * t)));
  }
  return sums;
}

#include "codes_avx.h"

EK_TARGET_POP

#endif
