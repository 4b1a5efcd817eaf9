// AVX2, FMA and F16C.

#include "levels.h"

#if defined(__x86_64__)

#include <immintrin.h>

EK_TARGET_PUSH("avx2,fma,f16c,bmi,popcnt")

EK_INLINE __m256 widen(const uint16_t *halves) {
  return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)halves));
}

/// The last `dimension` mod 8 halves of a row, then +0. There is no masked load of halves.
EK_INLINE __m256 widen_last(const uint16_t *row, size_t dimension) {
  size_t rest = dimension % 8;
  if (dimension < 8) {
    uint16_t padded[8] = {0};
    memcpy(padded, row, rest * sizeof *row);
    return widen(padded);
  }
  __m128i last8 = _mm_loadu_si128((const __m128i *)(const void *)(row + dimension - 8));
  __m128i shift =
    _mm_loadu_si128((const __m128i *)(const void *)(ek_shift_halves + 16 - 2 * rest));
  return _mm256_cvtph_ps(_mm_shuffle_epi8(last8, shift));
}

static void ek_convert_f32_f16_avx2(const float *source, size_t count, uint16_t *destination) {
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    __m128i halves = _mm256_cvtps_ph(_mm256_loadu_ps(source + i), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128((__m128i *)(void *)(destination + i), halves);
  }
  for (; i < count; i++) destination[i] = ek_half_from_float(source[i]);
}

static void ek_convert_f16_f32_avx2(const uint16_t *source, size_t count, float *destination) {
  size_t i = 0;
  for (; i + 8 <= count; i += 8) _mm256_storeu_ps(destination + i, widen(source + i));
  for (; i < count; i++) destination[i] = ek_float_from_half(source[i]);
}

static double ek_sum_of_squares_f32_avx2(const float *values, size_t count) {
  __m256d lanes[8];
  for (int g = 0; g < 8; g++) lanes[g] = _mm256_setzero_pd();
  size_t i = 0;
  for (; i + 32 <= count; i += 32) {
    for (int g = 0; g < 8; g++) {
      __m256d x = _mm256_cvtps_pd(_mm_loadu_ps(values + i + 4 * g));
      lanes[g] = _mm256_fmadd_pd(x, x, lanes[g]);
    }
  }
  if (i < count) {
    float padded[32] = {0};
    memcpy(padded, values + i, (count - i) * sizeof *values);
    for (int g = 0; g < 8; g++) {
      __m256d x = _mm256_cvtps_pd(_mm_loadu_ps(padded + 4 * g));
      lanes[g] = _mm256_fmadd_pd(x, x, lanes[g]);
    }
  }
  for (int half = 4; half > 0; half /= 2) {
    for (int g = 0; g < half; g++) lanes[g] = _mm256_add_pd(lanes[g], lanes[g + half]);
  }
  __m128d sum2 = _mm_add_pd(_mm256_castpd256_pd128(lanes[0]), _mm256_extractf128_pd(lanes[0], 1));
  return _mm_cvtsd_f64(_mm_add_sd(sum2, _mm_unpackhi_pd(sum2, sum2)));
}

static void ek_scale_f32_f16_avx2(
  const float *source, size_t count, double scale, uint16_t *destination
) {
  __m256d factor = _mm256_set1_pd(scale);
  size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    __m256d x = _mm256_mul_pd(_mm256_cvtps_pd(_mm_loadu_ps(source + i)), factor);
    __m128i halves = _mm_cvtps_ph(_mm256_cvtpd_ps(x), _MM_FROUND_TO_NEAREST_INT);
    _mm_storel_epi64((__m128i *)(void *)(destination + i), halves);
  }
  for (; i < count; i++) destination[i] = ek_half_from_float((float)((double)source[i] * scale));
}

/// K of one row; meanwhile fetches as many bytes at `prefetch`. `last` is from `ek_pad_last`.
EK_INLINE float dot_row(
  const uint16_t *row, const float *query, size_t dimension, const float last[8],
  const void *prefetch
) {
  __m256 lanes[8];
  for (int g = 0; g < 8; g++) lanes[g] = _mm256_setzero_ps();
  size_t j = 0;
  for (; j + 64 <= dimension; j += 64) {
    ek_prefetch(prefetch, 2 * j);
    ek_prefetch(prefetch, 2 * j + 64);
    for (int g = 0; g < 8; g++) {
      lanes[g] = _mm256_fmadd_ps(
        widen(row + j + 8 * g), _mm256_loadu_ps(query + j + 8 * g), lanes[g]);
    }
  }
  if (j < dimension) {
    ek_prefetch(prefetch, 2 * j);
    if (j + 32 < dimension) ek_prefetch(prefetch, 2 * j + 64);
    size_t rest = dimension - j;
    for (size_t g = 0; g < 8; g++) {  // Constant bounds, so that the lanes stay in registers.
      const uint16_t *r = row + j + 8 * g;
      const float *q = query + j + 8 * g;
      if (rest >= 8 * g + 8) {
        lanes[g] = _mm256_fmadd_ps(widen(r), _mm256_loadu_ps(q), lanes[g]);
      } else if (rest > 8 * g) {
        lanes[g] =
          _mm256_fmadd_ps(widen_last(row, dimension), _mm256_loadu_ps(last), lanes[g]);
      }
    }
  }
  for (int half = 4; half > 0; half /= 2) {
    for (int g = 0; g < half; g++) lanes[g] = _mm256_add_ps(lanes[g], lanes[g + half]);
  }
  __m128 sum4 = _mm_add_ps(_mm256_castps256_ps128(lanes[0]), _mm256_extractf128_ps(lanes[0], 1));
  __m128 sum2 = _mm_add_ps(sum4, _mm_movehl_ps(sum4, sum4));
  return _mm_cvtss_f32(_mm_add_ss(sum2, _mm_movehdup_ps(sum2))) + 0.0f;
}

static void ek_dot_f16_avx2(
  const void *rows, size_t stride_bytes, size_t count, const float *query, size_t dimension,
  float *scores
) {
  float last[8];
  ek_pad_last(query, dimension, last);
  for (size_t i = 0; i < count; i++) {
    const uint16_t *row = ek_row(rows, stride_bytes, i);
    const void *prefetch = (const void *)((uintptr_t)row + ek_prefetch_bytes);
    scores[i] = dot_row(row, query, dimension, last, prefetch);
  }
}

static void ek_dot_gather_f16_avx2(
  const void *rows, size_t stride_bytes, const uint32_t *indexes, size_t count,
  const float *query, size_t dimension, float *scores
) {
  float last[8];
  ek_pad_last(query, dimension, last);
  size_t ahead = ek_gather_ahead(dimension);
  for (size_t i = 0; i < count; i++) {
    const uint16_t *row = ek_row(rows, stride_bytes, indexes[i]);
    size_t later = i + ahead < count ? indexes[i + ahead] : indexes[i];
    scores[i] = dot_row(row, query, dimension, last, ek_row(rows, stride_bytes, later));
  }
}

static size_t ek_select_f32_avx2(
  const float *scores, size_t count, float threshold, uint32_t *indexes
) {
  __m256 limit = _mm256_set1_ps(threshold);
  size_t found = 0, i = 0;
  for (; i + 32 <= count; i += 32) {
    uint32_t mask = 0;
    for (int g = 0; g < 4; g++) {
      __m256 keep = _mm256_cmp_ps(_mm256_loadu_ps(scores + i + 8 * g), limit, _CMP_NLT_UQ);
      mask |= (uint32_t)_mm256_movemask_ps(keep) << (8 * g);
    }
    for (; mask; mask &= mask - 1) {
      indexes[found++] = (uint32_t)(i + (size_t)__builtin_ctz(mask));
    }
  }
  for (; i < count; i++) {
    if (!(scores[i] < threshold)) indexes[found++] = (uint32_t)i;
  }
  return found;
}

static void ek_widen_rows_f16_avx2(
  const void *rows, size_t stride_bytes, size_t count, size_t dimension, float *destination,
  size_t destination_stride
) {
  for (size_t i = 0; i < count; i++) {
    ek_convert_f16_f32_avx2(
      ek_row(rows, stride_bytes, i), dimension, destination + i * destination_stride);
  }
}

static uint64_t ek_read_bytes_avx2(const void *bytes, size_t byte_count) {
  const unsigned char *at = bytes;
  __m256i lanes[4];
  for (int g = 0; g < 4; g++) lanes[g] = _mm256_setzero_si256();
  for (; byte_count >= 128; at += 128, byte_count -= 128) {
    for (int g = 0; g < 4; g++) {
      lanes[g] = _mm256_xor_si256(
        lanes[g], _mm256_loadu_si256((const __m256i *)(const void *)(at + 32 * g)));
    }
  }
  uint64_t words[16];
  for (int g = 0; g < 4; g++) {
    _mm256_storeu_si256((__m256i *)(void *)(words + 4 * g), lanes[g]);
  }
  return ek_read_rest((const unsigned char *)words, sizeof words) ^ ek_read_rest(at, byte_count);
}

static void ek_bitmap_range_i64_avx2(
  const int64_t *values, size_t count, int64_t lower, int64_t upper, uint64_t *words
) {
  __m256i low = _mm256_set1_epi64x(lower), high = _mm256_set1_epi64x(upper);
  size_t i = 0;
  for (; i + 64 <= count; i += 64) {
    uint64_t outside = 0;
    for (size_t g = 0; g < 16; g++) {
      __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(values + i + 4 * g));
      __m256i out = _mm256_or_si256(_mm256_cmpgt_epi64(low, v), _mm256_cmpgt_epi64(v, high));
      outside |= (uint64_t)(uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(out)) << (4 * g);
    }
    words[i / 64] = ~outside;
  }
  if (i < count) words[i / 64] = ek_range_word(values + i, count - i, lower, upper);
}

EK_TARGET_POP

const struct ek_kernels ek_table_avx2 = {
  .convert_f32_f16 = ek_convert_f32_f16_avx2,
  .convert_f16_f32 = ek_convert_f16_f32_avx2,
  .sum_of_squares_f32 = ek_sum_of_squares_f32_avx2,
  .scale_f32_f16 = ek_scale_f32_f16_avx2,
  .dot_f16 = ek_dot_f16_avx2,
  .dot_gather_f16 = ek_dot_gather_f16_avx2,
  .select_f32 = ek_select_f32_avx2,
  .widen_rows_f16 = ek_widen_rows_f16_avx2,
  .read_bytes = ek_read_bytes_avx2,
  .bitmap_range_i64 = ek_bitmap_range_i64_avx2,
};

#endif
