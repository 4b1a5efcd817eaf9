// Routines on codes for eight rows at a time. The including file defines `add_products(sums,
// nibbles, query)`, which adds to each 32-bit lane the products of its four bytes,
// `add_four_lines(sums, lines, low, high)`, which does so for the low and the high nibbles of the
// first 32 bytes of four lines with 16 bytes each of the query, and `EK_LEVEL_NAME(name)`.

#include <immintrin.h>

#include "codes.h"

EK_INLINE __m256i low_nibbles(__m256i bytes) {
  return _mm256_and_si256(bytes, _mm256_set1_epi8(15));
}

EK_INLINE __m256i high_nibbles(__m256i bytes) {
  return low_nibbles(_mm256_srli_epi16(bytes, 4));
}

EK_INLINE __m256i load(const void *bytes) { return _mm256_loadu_si256((const __m256i *)bytes); }

/// Eight bytes as floats.
EK_INLINE __m256 widen_bytes(const uint8_t *bytes) {
  return _mm256_cvtepi32_ps(
    _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)bytes)));
}

EK_INLINE int32_t nibble_dot(const uint8_t *packed, const int8_t *query, size_t width) {
  __m256i sums = _mm256_setzero_si256();
  size_t half = width / 2, i = 0;
  for (; i + 32 <= half; i += 32) {
    __m256i bytes = load(packed + i);
    sums = add_products(sums, low_nibbles(bytes), load(query + i));
    sums = add_products(sums, high_nibbles(bytes), load(query + half + i));
  }
  if (i < half) {  // 16 bytes: both halves of the register in one product.
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(packed + i));
    __m256i nibbles = low_nibbles(_mm256_set_m128i(_mm_srli_epi16(bytes, 4), bytes));
    __m256i factors = _mm256_set_m128i(
      _mm_loadu_si128((const __m128i *)(const void *)(query + half + i)),
      _mm_loadu_si128((const __m128i *)(const void *)(query + i)));
    sums = add_products(sums, nibbles, factors);
  }
  __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
  sum = _mm_add_epi32(sum, _mm_unpackhi_epi64(sum, sum));
  return _mm_cvtsi128_si32(sum) + _mm_extract_epi32(sum, 1);
}

static size_t EK_LEVEL_NAME(ek_scan)(
  const uint8_t *groups, size_t row_count, const struct ek_code_scan *scan, float threshold,
  const uint64_t *allowed, uint32_t first_row, struct ek_code_list found
) {
  const struct ek_code_segment *segment = &scan->segment;
  const struct ek_code_bound *terms = &scan->bound;
  size_t width = segment->width, count = 0;
  const __m256i offset = _mm256_set1_epi32(segment->offset);
  const __m256 product = _mm256_set1_ps(segment->product), base = _mm256_set1_ps(scan->base);
  const __m256 projection = _mm256_set1_ps(scan->projection), error = _mm256_set1_ps(terms->error);
  const __m256 rest = _mm256_set1_ps(terms->rest), slack = _mm256_set1_ps(terms->slack);
  const __m256 limit = _mm256_set1_ps(threshold);
  for (size_t row = 0; row < row_count; row += ek_code_group_rows) {
    uint32_t wanted = ek_allowed_rows(allowed, row, row_count);
    const uint8_t *group = groups + row / ek_code_group_rows * ek_code_group_bytes(width);
    for (size_t line = 0; line < ek_code_group_bytes(width); line += ek_code_line_bytes) {
      ek_prefetch(group, ek_prefetch_bytes / 2 + line);
    }
    if (!wanted) continue;
    const uint8_t *bytes = group + width / 8 * ek_code_line_bytes;
    __m256i sums[2] = { _mm256_setzero_si256(), _mm256_setzero_si256() };
    for (size_t t = 0; t < width / 8; t += 4) {
      const uint8_t *lines = group + t * ek_code_line_bytes;
      const int8_t *low = segment->query + 4 * t, *high = low + width / 2;
      sums[0] = add_four_lines(sums[0], lines, low, high);
      sums[1] = add_four_lines(sums[1], lines + 32, low, high);
    }
    for (size_t half = 0; half < 2; half++) {
      __m256i sum = _mm256_add_epi32(sums[half], sums[half]);
      __m256 scaled = _mm256_mul_ps(
        _mm256_cvtepi32_ps(_mm256_sub_epi32(sum, offset)), widen_bytes(bytes + 16 + 8 * half));
      __m256 estimate = _mm256_fmadd_ps(projection, widen_bytes(bytes + 8 * half), base);
      estimate = _mm256_fmadd_ps(product, scaled, estimate);
      __m256 bound = _mm256_fmadd_ps(error, widen_bytes(bytes + 32 + 8 * half), estimate);
      bound = _mm256_fmadd_ps(rest, widen_bytes(bytes + 48 + 8 * half), bound);
      bound = _mm256_add_ps(bound, slack);
      uint32_t kept = (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(bound, limit, _CMP_NLT_UQ))
        & (wanted >> (8 * half));
      if (!kept) continue;
      float lanes[16];
      _mm256_storeu_ps(lanes, bound);
      _mm256_storeu_ps(lanes + 8, estimate);
      for (; kept; kept &= kept - 1) {
        size_t lane = (size_t)__builtin_ctz(kept);
        found.rows[count] = first_row + (uint32_t)(row + 8 * half + lane);
        found.bounds[count] = lanes[lane];
        found.estimates[count] = lanes[8 + lane];
        count++;
      }
    }
  }
  return count;
}

/// Σ nibble·query of 64 components, eight bytes in each lane.
EK_INLINE __m256i products_of_64(const uint8_t *packed, __m256i low_query, __m256i high_query) {
  __m256i bytes = load(packed);
  __m256i low = add_products(_mm256_setzero_si256(), low_nibbles(bytes), low_query);
  return add_products(low, high_nibbles(bytes), high_query);
}

/// Sums of eight records of 64 components, and the four bytes behind the nibbles of each.
EK_INLINE void sum_eight(
  const uint8_t *const records[8], const int8_t *query, __m256i *sum, __m256i *word
) {
  const __m256i low_query = load(query), high_query = load(query + 32);
  __m256i pairs[4];
  int32_t words[8];
  for (size_t j = 0; j < 4; j++) {
    pairs[j] = _mm256_hadd_epi32(
      products_of_64(records[2 * j], low_query, high_query),
      products_of_64(records[2 * j + 1], low_query, high_query));
  }
  for (size_t j = 0; j < 8; j++) memcpy(&words[j], records[j] + 32, sizeof words[j]);
  __m256i front = _mm256_hadd_epi32(pairs[0], pairs[1]);
  __m256i back = _mm256_hadd_epi32(pairs[2], pairs[3]);
  *sum = _mm256_add_epi32(
    _mm256_permute2x128_si256(front, back, 0x20), _mm256_permute2x128_si256(front, back, 0x31));
  *word = load(words);
}

/// The byte of each lane that begins at a bit, as floats.
EK_INLINE __m256 byte_of(__m256i words, int bit) {
  __m256i byte = _mm256_and_si256(_mm256_srli_epi32(words, bit), _mm256_set1_epi32(255));
  return _mm256_cvtepi32_ps(byte);
}

/// `refine` by one segment of 64 components, which most stages are: eight rows at a time. The
/// record is 32 bytes of nibbles, then scale, R, τ and a zero.
EK_INLINE size_t refine_by_64(
  const uint8_t *records, const struct ek_code_refinement *stage, float threshold,
  uint32_t first_row, struct ek_code_list list, size_t count
) {
  const struct ek_code_segment *segment = stage->segments;
  const __m256 error = _mm256_set1_ps(stage->bound.error), rest = _mm256_set1_ps(stage->bound.rest);
  size_t kept = 0, ahead = ek_records_ahead(stage);
  for (size_t i = 0; i < count; i += 8) {
    size_t valid = count - i < 8 ? count - i : 8;
    for (size_t j = i + ahead; j < i + ahead + 8 && j < count; j++) {
      ek_fetch_record(records, stage, list.rows[j] - first_row);
    }
    // Behind the last row, the last row again.
    const uint8_t *eight[8];
    float estimates[8], bounds[8];
    for (size_t j = 0; j < 8; j++) {
      size_t at = i + (j < valid ? j : valid - 1);
      eight[j] = records + (list.rows[at] - first_row) * stage->record_bytes;
      estimates[j] = list.estimates[at];
    }
    __m256i sum, word;
    sum_eight(eight, segment->query, &sum, &word);
    sum = _mm256_sub_epi32(_mm256_add_epi32(sum, sum), _mm256_set1_epi32(segment->offset));
    __m256 product = _mm256_mul_ps(_mm256_cvtepi32_ps(sum), byte_of(word, 0));
    __m256 estimate =
      _mm256_fmadd_ps(_mm256_set1_ps(segment->product), product, _mm256_loadu_ps(estimates));
    __m256 bound = _mm256_fmadd_ps(error, byte_of(word, 8), estimate);
    bound = _mm256_fmadd_ps(rest, byte_of(word, 16), bound);
    bound = _mm256_add_ps(bound, _mm256_set1_ps(stage->bound.slack));
    _mm256_storeu_ps(estimates, estimate);
    _mm256_storeu_ps(bounds, bound);
    __m256 stays = _mm256_cmp_ps(bound, _mm256_set1_ps(threshold), _CMP_NLT_UQ);
    uint32_t stay = (uint32_t)_mm256_movemask_ps(stays) & ((1u << valid) - 1);
    for (; stay; stay &= stay - 1) {
      size_t lane = (size_t)__builtin_ctz(stay);
      list.rows[kept] = list.rows[i + lane];
      list.bounds[kept] = bounds[lane];
      list.estimates[kept] = estimates[lane];
      kept++;
    }
  }
  return kept;
}

static size_t EK_LEVEL_NAME(ek_refine)(
  const uint8_t *records, const struct ek_code_refinement *stage, float threshold,
  uint32_t first_row, struct ek_code_list list, size_t count
) {
  if (ek_refines_by_64(stage)) {
    return refine_by_64(records, stage, threshold, first_row, list, count);
  }
  return ek_refine(records, stage, threshold, first_row, list, count, nibble_dot);
}

#include "codes_table.h"
