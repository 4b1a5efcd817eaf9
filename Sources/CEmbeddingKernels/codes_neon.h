// Routines on codes for four rows at a time. The including file defines `add_products(sums,
// nibbles, query)`, which adds to each 32-bit lane the products of its four bytes, and
// `EK_LEVEL_NAME(name)`.

#include <arm_neon.h>

#include "codes.h"

EK_INLINE int8x16_t low_nibbles(uint8x16_t bytes) {
  return vreinterpretq_s8_u8(vandq_u8(bytes, vdupq_n_u8(15)));
}

EK_INLINE int8x16_t high_nibbles(uint8x16_t bytes) {
  return vreinterpretq_s8_u8(vshrq_n_u8(bytes, 4));
}

/// Four bytes as floats.
EK_INLINE float32x4_t widen_bytes(const uint8_t *bytes) {
  uint32_t word;
  memcpy(&word, bytes, sizeof word);
  uint16x8_t halves = vmovl_u8(vreinterpret_u8_u32(vdup_n_u32(word)));
  return vcvtq_f32_u32(vmovl_u16(vget_low_u16(halves)));
}

EK_INLINE int8x16_t query_word(const int8_t *query) {
  return vreinterpretq_s8_s32(vdupq_n_s32(ek_query_word(query)));
}

EK_INLINE int32_t nibble_dot(const uint8_t *packed, const int8_t *query, size_t width) {
  int32x4_t low = vdupq_n_s32(0), high = low;
  size_t half = width / 2;
  for (size_t i = 0; i < half; i += 16) {
    uint8x16_t bytes = vld1q_u8(packed + i);
    low = add_products(low, low_nibbles(bytes), vld1q_s8(query + i));
    high = add_products(high, high_nibbles(bytes), vld1q_s8(query + half + i));
  }
  return vaddvq_s32(vaddq_s32(low, high));
}

static size_t EK_LEVEL_NAME(ek_scan)(
  const uint8_t *groups, size_t row_count, const struct ek_code_scan *scan, float threshold,
  const uint64_t *allowed, uint32_t first_row, struct ek_code_list found
) {
  const struct ek_code_segment *segment = &scan->segment;
  const struct ek_code_bound *terms = &scan->bound;
  size_t width = segment->width, count = 0;
  for (size_t row = 0; row < row_count; row += ek_code_group_rows) {
    uint32_t wanted = ek_allowed_rows(allowed, row, row_count);
    const uint8_t *group = groups + row / ek_code_group_rows * ek_code_group_bytes(width);
    if (!wanted) continue;
    int32x4_t sums[4];
    for (int g = 0; g < 4; g++) sums[g] = vdupq_n_s32(0);
    for (size_t t = 0; t < width / 8; t++) {
      const uint8_t *line = group + t * ek_code_line_bytes;
      ek_prefetch(line, ek_prefetch_bytes / 2);
      int8x16_t low = query_word(segment->query + 4 * t);
      int8x16_t high = query_word(segment->query + width / 2 + 4 * t);
      for (int g = 0; g < 4; g++) {
        uint8x16_t codes = vld1q_u8(line + 16 * g);
        sums[g] = add_products(sums[g], low_nibbles(codes), low);
        sums[g] = add_products(sums[g], high_nibbles(codes), high);
      }
    }
    const uint8_t *bytes = group + width / 8 * ek_code_line_bytes;
    float lanes[2][ek_code_group_rows];
    uint32_t below = 0;
    for (size_t g = 0; g < 4; g++) {
      int32x4_t sum = vsubq_s32(vshlq_n_s32(sums[g], 1), vdupq_n_s32(segment->offset));
      float32x4_t scaled = vmulq_f32(vcvtq_f32_s32(sum), widen_bytes(bytes + 16 + 4 * g));
      float32x4_t estimate = vfmaq_f32(
        vdupq_n_f32(scan->base), vdupq_n_f32(scan->projection), widen_bytes(bytes + 4 * g));
      estimate = vfmaq_f32(estimate, vdupq_n_f32(segment->product), scaled);
      float32x4_t bound =
        vfmaq_f32(estimate, vdupq_n_f32(terms->error), widen_bytes(bytes + 32 + 4 * g));
      bound = vfmaq_f32(bound, vdupq_n_f32(terms->rest), widen_bytes(bytes + 48 + 4 * g));
      bound = vaddq_f32(bound, vdupq_n_f32(terms->slack));
      const uint32x4_t bits = {1, 2, 4, 8};
      uint32x4_t isBelow = vcltq_f32(bound, vdupq_n_f32(threshold));
      below |= vaddvq_u32(vandq_u32(isBelow, bits)) << (4 * g);
      vst1q_f32(lanes[0] + 4 * g, bound);
      vst1q_f32(lanes[1] + 4 * g, estimate);
    }
    for (uint32_t kept = wanted & ~below; kept; kept &= kept - 1) {
      size_t lane = (size_t)__builtin_ctz(kept);
      found.rows[count] = first_row + (uint32_t)(row + lane);
      found.bounds[count] = lanes[0][lane];
      found.estimates[count] = lanes[1][lane];
      count++;
    }
  }
  return count;
}

static size_t EK_LEVEL_NAME(ek_refine)(
  const uint8_t *records, const struct ek_code_refinement *stage, float threshold,
  uint32_t first_row, struct ek_code_list list, size_t count
) {
  return ek_refine(records, stage, threshold, first_row, list, count, nibble_dot);
}

#include "codes_table.h"
