// Codes with AVX-512 VNNI: a group of 16 rows at a time.

#include "codes.h"

#if defined(__x86_64__)

#include <immintrin.h>

EK_TARGET_PUSH(
  "avx512vnni,avx512f,avx512bw,avx512vl,avx512dq,avx2,fma,f16c,bmi,bmi2,popcnt")

EK_INLINE int32_t nibble_dot(const uint8_t *packed, const int8_t *query, size_t width) {
  const __m256i mask = _mm256_set1_epi8(15);
  __m256i low = _mm256_setzero_si256(), high = low;
  size_t half = width / 2, i = 0;
  for (; i + 32 <= half; i += 32) {
    __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)(packed + i));
    __m256i factors = _mm256_loadu_si256((const __m256i *)(const void *)(query + i));
    low = _mm256_dpbusd_epi32(low, _mm256_and_si256(bytes, mask), factors);
    factors = _mm256_loadu_si256((const __m256i *)(const void *)(query + half + i));
    high = _mm256_dpbusd_epi32(
      high, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), mask), factors);
  }
  __m256i sums = _mm256_add_epi32(low, high);
  __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
  if (i < half) {
    const __m128i mask16 = _mm_set1_epi8(15);
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(packed + i));
    __m128i factors = _mm_loadu_si128((const __m128i *)(const void *)(query + i));
    sum = _mm_dpbusd_epi32(sum, _mm_and_si128(bytes, mask16), factors);
    factors = _mm_loadu_si128((const __m128i *)(const void *)(query + half + i));
    sum = _mm_dpbusd_epi32(sum, _mm_and_si128(_mm_srli_epi16(bytes, 4), mask16), factors);
  }
  sum = _mm_add_epi32(sum, _mm_unpackhi_epi64(sum, sum));
  return _mm_cvtsi128_si32(sum) + _mm_extract_epi32(sum, 1);
}

/// 16 bytes as floats.
EK_INLINE __m512 widen_bytes(const uint8_t *bytes) {
  return _mm512_cvtepi32_ps(
    _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)bytes)));
}

/// Adds the products of one line's low nibbles to one sum, and those of its high ones, 16 times as
/// large, to another.
EK_INLINE void add_line(
  __m512i *low_sum, __m512i *high_sum, const uint8_t *line, const int8_t *low, const int8_t *high
) {
  __m512i codes = _mm512_loadu_si512(line), mask = _mm512_set1_epi8(15);
  *low_sum = _mm512_dpbusd_epi32(
    *low_sum, _mm512_and_si512(codes, mask), _mm512_set1_epi32(ek_query_word(low)));
  *high_sum = _mm512_dpbusd_epi32(
    *high_sum, _mm512_andnot_si512(mask, codes), _mm512_set1_epi32(ek_query_word(high)));
}

/// Writes the chosen lanes and what follows them: compressing in a register avoids the microcoded
/// store.
EK_INLINE void put(
  struct ek_code_list list, size_t at, __mmask16 mask, __m512i rows, __m512 bounds,
  __m512 estimates
) {
  _mm512_storeu_si512(list.rows + at, _mm512_maskz_compress_epi32(mask, rows));
  _mm512_storeu_ps(list.bounds + at, _mm512_maskz_compress_ps(mask, bounds));
  _mm512_storeu_ps(list.estimates + at, _mm512_maskz_compress_ps(mask, estimates));
}

static size_t ek_scan_avx512vnni(
  const uint8_t *groups, size_t row_count, const struct ek_code_scan *scan, float threshold,
  const uint64_t *allowed, uint32_t first_row, struct ek_code_list found
) {
  const struct ek_code_segment *segment = &scan->segment;
  const struct ek_code_bound *terms = &scan->bound;
  size_t width = segment->width, count = 0;
  const __m512i offset = _mm512_set1_epi32(segment->offset);
  const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512 product = _mm512_set1_ps(segment->product), base = _mm512_set1_ps(scan->base);
  const __m512 projection = _mm512_set1_ps(scan->projection), error = _mm512_set1_ps(terms->error);
  const __m512 rest = _mm512_set1_ps(terms->rest), slack = _mm512_set1_ps(terms->slack);
  const __m512 limit = _mm512_set1_ps(threshold);
  for (size_t row = 0; row < row_count; row += ek_code_group_rows) {
    uint32_t wanted = ek_allowed_rows(allowed, row, row_count);
    const uint8_t *group = groups + row / ek_code_group_rows * ek_code_group_bytes(width);
    __m512i low = _mm512_setzero_si512(), high = low, low_odd = low, high_odd = low;
    for (size_t t = 0; t < width / 8; t += 4) {
      const uint8_t *line = group + t * ek_code_line_bytes;
      const int8_t *words = segment->query + 4 * t, *high_words = words + width / 2;
      add_line(&low, &high, line, words, high_words);
      add_line(&low_odd, &high_odd, line + 64, words + 4, high_words + 4);
      add_line(&low, &high, line + 128, words + 8, high_words + 8);
      add_line(&low_odd, &high_odd, line + 192, words + 12, high_words + 12);
    }
    // Twice the sum. High nibbles were multiplied where they are, as 16 times their value.
    __m512i sum = _mm512_slli_epi32(_mm512_add_epi32(low, low_odd), 1);
    sum = _mm512_add_epi32(sum, _mm512_srai_epi32(_mm512_add_epi32(high, high_odd), 3));
    sum = _mm512_sub_epi32(sum, offset);
    const uint8_t *bytes = group + width / 8 * ek_code_line_bytes;
    __m512 scaled = _mm512_mul_ps(_mm512_cvtepi32_ps(sum), widen_bytes(bytes + 16));
    __m512 estimate = _mm512_fmadd_ps(projection, widen_bytes(bytes), base);
    estimate = _mm512_fmadd_ps(product, scaled, estimate);
    __m512 bound = _mm512_fmadd_ps(error, widen_bytes(bytes + 32), estimate);
    bound = _mm512_fmadd_ps(rest, widen_bytes(bytes + 48), bound);
    bound = _mm512_add_ps(bound, slack);
    __mmask16 kept = _mm512_mask_cmp_ps_mask((__mmask16)wanted, bound, limit, _CMP_NLT_UQ);
    if (!kept) continue;
    __m512i numbers = _mm512_add_epi32(lanes, _mm512_set1_epi32((int)(first_row + (uint32_t)row)));
    put(found, count, kept, numbers, bound, estimate);
    count += (size_t)__builtin_popcount(kept);
  }
  return count;
}

/// Σ nibble·query of 64 components, eight bytes in each lane.
EK_INLINE __m256i products_of_64(const uint8_t *packed, __m256i low_query, __m256i high_query) {
  const __m256i mask = _mm256_set1_epi8(15);
  __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)packed);
  __m256i low =
    _mm256_dpbusd_epi32(_mm256_setzero_si256(), _mm256_and_si256(bytes, mask), low_query);
  return _mm256_dpbusd_epi32(
    low, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), mask), high_query);
}

/// Σ nibble·query of four records of 64 components, and the four bytes behind the nibbles of each.
EK_INLINE void sum_four(
  const uint8_t *const records[4], __m256i low_query, __m256i high_query, __m128i *sums,
  __m128i *bytes
) {
  __m256i ab = _mm256_hadd_epi32(
    products_of_64(records[0], low_query, high_query),
    products_of_64(records[1], low_query, high_query));
  __m256i cd = _mm256_hadd_epi32(
    products_of_64(records[2], low_query, high_query),
    products_of_64(records[3], low_query, high_query));
  __m256i abcd = _mm256_hadd_epi32(ab, cd);
  *sums = _mm_add_epi32(_mm256_castsi256_si128(abcd), _mm256_extracti128_si256(abcd, 1));
  int32_t words[4];
  for (size_t j = 0; j < 4; j++) memcpy(&words[j], records[j] + 32, sizeof words[j]);
  *bytes = _mm_setr_epi32(words[0], words[1], words[2], words[3]);
}

EK_INLINE __m512i joined(const __m128i parts[4]) {
  __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(parts[0]), parts[1], 1);
  __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(parts[2]), parts[3], 1);
  return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

/// Sums, and the bytes behind the nibbles, of the records of up to 16 rows.
EK_INLINE void sum_sixteen(
  const uint8_t *records, size_t record_bytes, const uint32_t *rows, uint32_t first_row,
  size_t valid, const int8_t *query, __m512i *sum, __m512i *word
) {
  const __m256i low_query = _mm256_loadu_si256((const __m256i *)(const void *)query);
  const __m256i high_query = _mm256_loadu_si256((const __m256i *)(const void *)(query + 32));
  __m128i sums[4], bytes[4];
  for (size_t g = 0; g < 4; g++) {
    const uint8_t *four[4];
    for (size_t j = 0; j < 4; j++) {
      // Behind the last row, the last row again.
      size_t at = 4 * g + j < valid ? 4 * g + j : valid - 1;
      four[j] = records + (rows[at] - first_row) * record_bytes;
    }
    sum_four(four, low_query, high_query, &sums[g], &bytes[g]);
  }
  *sum = joined(sums);
  *word = joined(bytes);
}

/// `refine` by one segment of 64 components, which most stages are: 16 rows at a time. The record
/// is 32 bytes of nibbles, then scale, R, τ and a zero.
static size_t refine_by_64(
  const uint8_t *records, const struct ek_code_refinement *stage, float threshold,
  uint32_t first_row, struct ek_code_list list, size_t count
) {
  const struct ek_code_segment *segment = stage->segments;
  const __m512i low_byte = _mm512_set1_epi32(255);
  const __m512 error = _mm512_set1_ps(stage->bound.error), rest = _mm512_set1_ps(stage->bound.rest);
  size_t kept = 0, ahead = ek_records_ahead(stage);
  for (size_t i = 0; i < count; i += 16) {
    size_t valid = count - i < 16 ? count - i : 16;
    __mmask16 lanes = (__mmask16)((1u << valid) - 1);
    for (size_t j = i + ahead; j < i + ahead + 16 && j < count; j++) {
      ek_fetch_record(records, stage, list.rows[j] - first_row);
    }
    __m512i sum, word;
    const uint32_t *block = list.rows + i;
    if (valid == 16) {
      sum_sixteen(
        records, stage->record_bytes, block, first_row, 16, segment->query, &sum, &word);
    } else {
      sum_sixteen(
        records, stage->record_bytes, block, first_row, valid, segment->query, &sum, &word);
    }
    sum = _mm512_sub_epi32(_mm512_add_epi32(sum, sum), _mm512_set1_epi32(segment->offset));
    __m512 scale = _mm512_cvtepi32_ps(_mm512_and_si512(word, low_byte));
    __m512 product = _mm512_mul_ps(_mm512_cvtepi32_ps(sum), scale);
    __m512 estimate = _mm512_fmadd_ps(
      _mm512_set1_ps(segment->product), product,
      _mm512_maskz_loadu_ps(lanes, list.estimates + i));
    __m512i error_byte = _mm512_and_si512(_mm512_srli_epi32(word, 8), low_byte);
    __m512i rest_byte = _mm512_and_si512(_mm512_srli_epi32(word, 16), low_byte);
    __m512 bound = _mm512_fmadd_ps(error, _mm512_cvtepi32_ps(error_byte), estimate);
    bound = _mm512_fmadd_ps(rest, _mm512_cvtepi32_ps(rest_byte), bound);
    bound = _mm512_add_ps(bound, _mm512_set1_ps(stage->bound.slack));
    __mmask16 stays =
      _mm512_mask_cmp_ps_mask(lanes, bound, _mm512_set1_ps(threshold), _CMP_NLT_UQ);
    __m512i rows = _mm512_maskz_loadu_epi32(lanes, list.rows + i);
    // No more than these: behind the last row of this run begins the next chunk's.
    size_t more = (size_t)__builtin_popcount(stays);
    __mmask16 front = (__mmask16)((1u << more) - 1);
    _mm512_mask_storeu_epi32(list.rows + kept, front, _mm512_maskz_compress_epi32(stays, rows));
    _mm512_mask_storeu_ps(list.bounds + kept, front, _mm512_maskz_compress_ps(stays, bound));
    _mm512_mask_storeu_ps(list.estimates + kept, front, _mm512_maskz_compress_ps(stays, estimate));
    kept += more;
  }
  return kept;
}

static size_t ek_refine_avx512vnni(
  const uint8_t *records, const struct ek_code_refinement *stage, float threshold,
  uint32_t first_row, struct ek_code_list list, size_t count
) {
  if (ek_refines_by_64(stage)) {
    return refine_by_64(records, stage, threshold, first_row, list, count);
  }
  return ek_refine(records, stage, threshold, first_row, list, count, nibble_dot);
}

/// The lanes of 16 rows from `i` on that are rows of the list.
EK_INLINE __mmask16 lanes_from(size_t i, size_t count) {
  return (__mmask16)(count - i < 16 ? (1u << (count - i)) - 1 : 0xffff);
}

/// Writes the chosen rows of the 16 from `i` on.
EK_INLINE size_t put_from(
  struct ek_code_list list, size_t i, __mmask16 valid, __mmask16 chosen, __m512 bounds,
  struct ek_code_list target, size_t at
) {
  __m512i rows = _mm512_maskz_loadu_epi32(valid, list.rows + i);
  put(target, at, chosen, rows, bounds, _mm512_maskz_loadu_ps(valid, list.estimates + i));
  return (size_t)__builtin_popcount(chosen);
}

static size_t ek_copy_avx512vnni(
  struct ek_code_list list, size_t count, float threshold, struct ek_code_list other
) {
  const __m512 limit = _mm512_set1_ps(threshold);
  size_t copied = 0;
  for (size_t i = 0; i < count; i += 16) {
    __mmask16 valid = lanes_from(i, count);
    __m512 bounds = _mm512_maskz_loadu_ps(valid, list.bounds + i);
    __mmask16 chosen = _mm512_mask_cmp_ps_mask(valid, bounds, limit, _CMP_NLT_UQ);
    if (chosen) copied += put_from(list, i, valid, chosen, bounds, other, copied);
  }
  return copied;
}

static size_t ek_keep_avx512vnni(
  struct ek_code_list list, size_t count, float threshold, float ceiling
) {
  const __m512 limit = _mm512_set1_ps(threshold), top = _mm512_set1_ps(ceiling);
  size_t kept = 0;
  for (size_t i = 0; i < count; i += 16) {
    __mmask16 valid = lanes_from(i, count);
    __m512 bounds = _mm512_maskz_loadu_ps(valid, list.bounds + i);
    __mmask16 chosen = _mm512_mask_cmp_ps_mask(valid, bounds, limit, _CMP_NLT_UQ);
    chosen = _mm512_mask_cmp_ps_mask(chosen, bounds, top, _CMP_LT_OQ);
    kept += put_from(list, i, valid, chosen, bounds, list, kept);
  }
  return kept;
}

EK_TARGET_POP

const struct ek_code_kernels ek_code_table_avx512vnni = {
  .scan = ek_scan_avx512vnni,
  .refine = ek_refine_avx512vnni,
  .copy = ek_copy_avx512vnni,
  .keep = ek_keep_avx512vnni,
};

#endif
