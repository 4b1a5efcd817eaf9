#pragma once

#include <math.h>

#include "levels.h"

// What the levels' routines on compact codes share.

extern const struct ek_code_kernels ek_code_table_scalar;
#if defined(__x86_64__)
extern const struct ek_code_kernels ek_code_table_avx2;
extern const struct ek_code_kernels ek_code_table_avxvnni;
extern const struct ek_code_kernels ek_code_table_avx512vnni;
#elif defined(__aarch64__)
extern const struct ek_code_kernels ek_code_table_neon;
extern const struct ek_code_kernels ek_code_table_neondot;
#endif

enum {
  ek_code_group_rows = 16,
  ek_code_line_bytes = 64,
  /// About how many bytes of records ahead of the one being refined are fetched: as many lines as
  /// a core can wait for at once.
  ek_code_bytes_ahead = 512,
};

EK_INLINE size_t ek_code_group_bytes(size_t width) {
  return width / 8 * ek_code_line_bytes + ek_code_line_bytes;
}

/// The four query bytes from `query` on.
EK_INLINE int32_t ek_query_word(const int8_t *query) {
  int32_t word;
  memcpy(&word, query, sizeof word);
  return word;
}

/// The bits of 16 rows from `row`, a multiple of 16, on: those that are allowed and below the count.
EK_INLINE uint32_t ek_allowed_rows(const uint64_t *allowed, size_t row, size_t row_count) {
  uint32_t bits = allowed ? (uint32_t)(allowed[row / 64] >> (row % 64)) & 0xffff : 0xffff;
  size_t rest = row_count - row;
  return rest < 16 ? bits & ((1u << rest) - 1) : bits;
}

/// One segment's share of a row's estimate.
EK_INLINE float ek_add_segment(
  float estimate, const struct ek_code_segment *segment, int32_t sum, uint8_t scale
) {
  float product = (float)(2 * sum - segment->offset) * (float)scale;
  return fmaf(segment->product, product, estimate);
}

EK_INLINE float ek_bound(
  float estimate, const struct ek_code_bound *bound, uint8_t error, uint8_t rest
) {
  return fmaf(bound->rest, (float)rest, fmaf(bound->error, (float)error, estimate)) + bound->slack;
}

/// Σ nibble·query of a packed segment.
typedef int32_t ek_nibble_dot(const uint8_t *packed, const int8_t *query, size_t width);

/// How many listed rows ahead of the one being refined its record is fetched.
EK_INLINE size_t ek_records_ahead(const struct ek_code_refinement *stage) {
  return ek_code_bytes_ahead / (stage->record_bytes + 32) + 2;
}

/// Fetches the record of a row that is refined later.
EK_INLINE void ek_fetch_record(
  const uint8_t *records, const struct ek_code_refinement *stage, size_t row
) {
  const uint8_t *record = records + row * stage->record_bytes;
  for (size_t byte = 0; byte < stage->record_bytes; byte += ek_code_line_bytes) {
    __builtin_prefetch(record + byte, 0, 3);
  }
  __builtin_prefetch(record + stage->record_bytes - 1, 0, 3);
}

/// Whether a record is 32 bytes of nibbles, a scale, R, τ and at least one byte more.
EK_INLINE int ek_refines_by_64(const struct ek_code_refinement *stage) {
  return stage->segment_count == 1 && stage->segments[0].width == 64 && stage->record_bytes >= 36;
}

/// `refine` on a level's way to multiply.
EK_INLINE size_t ek_refine(
  const uint8_t *records, const struct ek_code_refinement *stage, float threshold,
  uint32_t first_row, struct ek_code_list list, size_t count, ek_nibble_dot *dot
) {
  size_t kept = 0, ahead = ek_records_ahead(stage);
  for (size_t i = 0; i < ahead && i < count; i++) {
    ek_fetch_record(records, stage, list.rows[i] - first_row);
  }
  for (size_t i = 0; i < count; i++) {
    if (i + ahead < count) ek_fetch_record(records, stage, list.rows[i + ahead] - first_row);
    const uint8_t *packed = records + (list.rows[i] - first_row) * stage->record_bytes;
    int32_t sums[ek_code_segments];
    for (size_t s = 0; s < stage->segment_count; s++) {
      sums[s] = dot(packed, stage->segments[s].query, stage->segments[s].width);
      packed += stage->segments[s].width / 2;
    }
    float estimate = list.estimates[i];
    for (size_t s = 0; s < stage->segment_count; s++) {
      estimate = ek_add_segment(estimate, &stage->segments[s], sums[s], packed[s]);
    }
    packed += stage->segment_count;
    float bound = ek_bound(estimate, &stage->bound, packed[0], packed[1]);
    list.rows[kept] = list.rows[i];
    list.bounds[kept] = bound;
    list.estimates[kept] = estimate;
    kept += !(bound < threshold);
  }
  return kept;
}

/// `copy`, one row at a time.
EK_INLINE size_t ek_copy(
  struct ek_code_list list, size_t count, float threshold, struct ek_code_list other
) {
  size_t copied = 0;
  for (size_t i = 0; i < count; i++) {
    if (list.bounds[i] < threshold) continue;
    other.rows[copied] = list.rows[i];
    other.bounds[copied] = list.bounds[i];
    other.estimates[copied] = list.estimates[i];
    copied++;
  }
  return copied;
}

/// `keep`, one row at a time.
EK_INLINE size_t ek_keep(
  struct ek_code_list list, size_t count, float threshold, float ceiling
) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    uint32_t row = list.rows[i];
    float bound = list.bounds[i], estimate = list.estimates[i];
    list.rows[kept] = row;
    list.bounds[kept] = bound;
    list.estimates[kept] = estimate;
    kept += !(bound < threshold) & (bound < ceiling);
  }
  return kept;
}
