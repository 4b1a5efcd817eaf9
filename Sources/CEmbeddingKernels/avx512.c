// AVX-512 F, BW, VL and DQ. Tails are masked loads, which do not touch the bytes they mask out.

#include "levels.h"

#if defined(__x86_64__)

#include <immintrin.h>

EK_TARGET_PUSH("avx512f,avx512bw,avx512vl,avx512dq,avx2,fma,f16c,bmi,popcnt")

EK_INLINE __m512 widen(const uint16_t *halves) {
  return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)halves));
}

EK_INLINE __m512 widen_masked(__mmask16 mask, const uint16_t *halves) {
  return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(mask, halves));
}

/// The lowest `count` bits, for a count below 16.
EK_INLINE __mmask16 low_bits(size_t count) { return (__mmask16)((1u << count) - 1); }

static void ek_convert_f32_f16_avx512(const float *source, size_t count, uint16_t *destination) {
  size_t i = 0;
  for (; i + 16 <= count; i += 16) {
    __m256i halves =
      _mm512_cvtps_ph(_mm512_loadu_ps(source + i), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    _mm256_storeu_si256((__m256i *)(void *)(destination + i), halves);
  }
  if (i < count) {
    __mmask16 mask = low_bits(count - i);
    __m256i halves = _mm512_cvtps_ph(
      _mm512_maskz_loadu_ps(mask, source + i), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    _mm256_mask_storeu_epi16(destination + i, mask, halves);
  }
}

static void ek_convert_f16_f32_avx512(const uint16_t *source, size_t count, float *destination) {
  size_t i = 0;
  for (; i + 16 <= count; i += 16) _mm512_storeu_ps(destination + i, widen(source + i));
  if (i < count) {
    __mmask16 mask = low_bits(count - i);
    _mm512_mask_storeu_ps(destination + i, mask, widen_masked(mask, source + i));
  }
}

static double ek_sum_of_squares_f32_avx512(const float *values, size_t count) {
  __m512d lanes[4] = {
    _mm512_setzero_pd(), _mm512_setzero_pd(), _mm512_setzero_pd(), _mm512_setzero_pd()};
  size_t i = 0;
  for (; i + 32 <= count; i += 32) {
    for (int g = 0; g < 4; g++) {
      __m512d x = _mm512_cvtps_pd(_mm256_loadu_ps(values + i + 8 * g));
      lanes[g] = _mm512_fmadd_pd(x, x, lanes[g]);
    }
  }
  size_t rest = count - i;
  for (size_t g = 0; g < 4; g++) {
    if (rest <= 8 * g) break;
    __mmask8 mask = rest - 8 * g < 8 ? (__mmask8)low_bits(rest - 8 * g) : 0xff;
    __m512d x = _mm512_cvtps_pd(_mm256_maskz_loadu_ps(mask, values + i + 8 * g));
    lanes[g] = _mm512_fmadd_pd(x, x, lanes[g]);
  }
  __m512d sum8 =
    _mm512_add_pd(_mm512_add_pd(lanes[0], lanes[2]), _mm512_add_pd(lanes[1], lanes[3]));
  __m256d sum4 = _mm256_add_pd(_mm512_castpd512_pd256(sum8), _mm512_extractf64x4_pd(sum8, 1));
  __m128d sum2 = _mm_add_pd(_mm256_castpd256_pd128(sum4), _mm256_extractf128_pd(sum4, 1));
  return _mm_cvtsd_f64(_mm_add_sd(sum2, _mm_unpackhi_pd(sum2, sum2)));
}

static void ek_scale_f32_f16_avx512(
  const float *source, size_t count, double scale, uint16_t *destination
) {
  __m512d factor = _mm512_set1_pd(scale);
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    __m512d x = _mm512_mul_pd(_mm512_cvtps_pd(_mm256_loadu_ps(source + i)), factor);
    __m128i halves = _mm256_cvtps_ph(_mm512_cvtpd_ps(x), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128((__m128i *)(void *)(destination + i), halves);
  }
  if (i < count) {
    __mmask8 mask = (__mmask8)low_bits(count - i);
    __m512d x = _mm512_mul_pd(_mm512_cvtps_pd(_mm256_maskz_loadu_ps(mask, source + i)), factor);
    __m128i halves = _mm256_cvtps_ph(_mm512_cvtpd_ps(x), _MM_FROUND_TO_NEAREST_INT);
    _mm_mask_storeu_epi16(destination + i, mask, halves);
  }
}

/// K of one row; meanwhile fetches as many bytes at `prefetch`.
EK_INLINE float dot_row(
  const uint16_t *row, const float *query, size_t dimension, const void *prefetch
) {
  __m512 a = _mm512_setzero_ps(), b = a, c = a, d = a;
  size_t j = 0;
  for (; j + 64 <= dimension; j += 64) {
    ek_prefetch(prefetch, 2 * j);
    ek_prefetch(prefetch, 2 * j + 64);
    a = _mm512_fmadd_ps(widen(row + j), _mm512_loadu_ps(query + j), a);
    b = _mm512_fmadd_ps(widen(row + j + 16), _mm512_loadu_ps(query + j + 16), b);
    c = _mm512_fmadd_ps(widen(row + j + 32), _mm512_loadu_ps(query + j + 32), c);
    d = _mm512_fmadd_ps(widen(row + j + 48), _mm512_loadu_ps(query + j + 48), d);
  }
  if (j < dimension) {
    uint64_t mask = ((uint64_t)1 << (dimension - j)) - 1;
    __mmask16 m0 = (__mmask16)mask, m1 = (__mmask16)(mask >> 16);
    __mmask16 m2 = (__mmask16)(mask >> 32), m3 = (__mmask16)(mask >> 48);
    const uint16_t *r = row + j;
    const float *q = query + j;
    ek_prefetch(prefetch, 2 * j);
    a = _mm512_fmadd_ps(widen_masked(m0, r), _mm512_maskz_loadu_ps(m0, q), a);
    if (m1) {
      b = _mm512_fmadd_ps(widen_masked(m1, r + 16), _mm512_maskz_loadu_ps(m1, q + 16), b);
    }
    if (m2) {
      ek_prefetch(prefetch, 2 * j + 64);
      c = _mm512_fmadd_ps(widen_masked(m2, r + 32), _mm512_maskz_loadu_ps(m2, q + 32), c);
    }
    if (m3) {
      d = _mm512_fmadd_ps(widen_masked(m3, r + 48), _mm512_maskz_loadu_ps(m3, q + 48), d);
    }
  }
  __m512 sum16 = _mm512_add_ps(_mm512_add_ps(a, c), _mm512_add_ps(b, d));
  __m256 sum8 = _mm256_add_ps(_mm512_castps512_ps256(sum16), _mm512_extractf32x8_ps(sum16, 1));
  __m128 sum4 = _mm_add_ps(_mm256_castps256_ps128(sum8), _mm256_extractf128_ps(sum8, 1));
  __m128 sum2 = _mm_add_ps(sum4, _mm_movehl_ps(sum4, sum4));
  return _mm_cvtss_f32(_mm_add_ss(sum2, _mm_movehdup_ps(sum2))) + 0.0f;
}

static void ek_dot_f16_avx512(
  const void *rows, size_t stride_bytes, size_t count, const float *query, size_t dimension,
  float *scores
) {
  for (size_t i = 0; i < count; i++) {
    const uint16_t *row = ek_row(rows, stride_bytes, i);
    const void *prefetch = (const void *)((uintptr_t)row + ek_prefetch_bytes);
    scores[i] = dot_row(row, query, dimension, prefetch);
  }
}

static void ek_dot_gather_f16_avx512(
  const void *rows, size_t stride_bytes, const uint32_t *indexes, size_t count,
  const float *query, size_t dimension, float *scores
) {
  size_t ahead = ek_gather_ahead(dimension);
  for (size_t i = 0; i < count; i++) {
    const uint16_t *row = ek_row(rows, stride_bytes, indexes[i]);
    size_t later = i + ahead < count ? indexes[i + ahead] : indexes[i];
    scores[i] = dot_row(row, query, dimension, ek_row(rows, stride_bytes, later));
  }
}

static size_t ek_select_f32_avx512(
  const float *scores, size_t count, float threshold, uint32_t *indexes
) {
  const __m512i steps =
    _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  __m512 limit = _mm512_set1_ps(threshold);
  size_t found = 0, i = 0;
  for (; i + 16 <= count; i += 16) {
    __mmask16 mask = _mm512_cmp_ps_mask(_mm512_loadu_ps(scores + i), limit, _CMP_NLT_UQ);
    if (!mask) continue;
    // found <= i, so 16 indexes fit; compressing in a register avoids the microcoded store.
    __m512i kept = _mm512_maskz_compress_epi32(
      mask, _mm512_add_epi32(steps, _mm512_set1_epi32((int)(uint32_t)i)));
    _mm512_storeu_si512(indexes + found, kept);
    found += (size_t)__builtin_popcount(mask);
  }
  for (; i < count; i++) {
    if (!(scores[i] < threshold)) indexes[found++] = (uint32_t)i;
  }
  return found;
}

static void ek_widen_rows_f16_avx512(
  const void *rows, size_t stride_bytes, size_t count, size_t dimension, float *destination,
  size_t destination_stride
) {
  for (size_t i = 0; i < count; i++) {
    ek_convert_f16_f32_avx512(
      ek_row(rows, stride_bytes, i), dimension, destination + i * destination_stride);
  }
}

static uint64_t ek_read_bytes_avx512(const void *bytes, size_t byte_count) {
  const unsigned char *at = bytes;
  __m512i a = _mm512_setzero_si512(), b = a, c = a, d = a;
  for (; byte_count >= 256; at += 256, byte_count -= 256) {
    a = _mm512_xor_si512(a, _mm512_loadu_si512(at));
    b = _mm512_xor_si512(b, _mm512_loadu_si512(at + 64));
    c = _mm512_xor_si512(c, _mm512_loadu_si512(at + 128));
    d = _mm512_xor_si512(d, _mm512_loadu_si512(at + 192));
  }
  uint64_t words[8];
  _mm512_storeu_si512(words, _mm512_xor_si512(_mm512_xor_si512(a, b), _mm512_xor_si512(c, d)));
  return ek_read_rest((const unsigned char *)words, sizeof words) ^ ek_read_rest(at, byte_count);
}

static void ek_bitmap_range_i64_avx512(
  const int64_t *values, size_t count, int64_t lower, int64_t upper, uint64_t *words
) {
  __m512i low = _mm512_set1_epi64(lower), high = _mm512_set1_epi64(upper);
  size_t i = 0;
  for (; i + 64 <= count; i += 64) {
    uint64_t word = 0;
    for (size_t g = 0; g < 8; g++) {
      __m512i v = _mm512_loadu_si512(values + i + 8 * g);
      __mmask8 mask = _mm512_mask_cmple_epi64_mask(_mm512_cmpge_epi64_mask(v, low), v, high);
      word |= (uint64_t)mask << (8 * g);
    }
    words[i / 64] = word;
  }
  if (i < count) words[i / 64] = ek_range_word(values + i, count - i, lower, upper);
}

EK_TARGET_POP

const struct ek_kernels ek_table_avx512 = {
  .convert_f32_f16 = ek_convert_f32_f16_avx512,
  .convert_f16_f32 = ek_convert_f16_f32_avx512,
  .sum_of_squares_f32 = ek_sum_of_squares_f32_avx512,
  .scale_f32_f16 = ek_scale_f32_f16_avx512,
  .dot_f16 = ek_dot_f16_avx512,
  .dot_gather_f16 = ek_dot_gather_f16_avx512,
  .select_f32 = ek_select_f32_avx512,
  .widen_rows_f16 = ek_widen_rows_f16_avx512,
  .read_bytes = ek_read_bytes_avx512,
  .bitmap_range_i64 = ek_bitmap_range_i64_avx512,
};

#endif
