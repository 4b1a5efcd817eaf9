// AArch64 baseline: converts halves but does not compute with them, so any 64-bit Arm will do.

#include "levels.h"

#if defined(__aarch64__)

#include <arm_neon.h>

EK_INLINE float32x4_t widen_low(uint16x8_t halves) {
  return vcvt_f32_f16(vreinterpret_f16_u16(vget_low_u16(halves)));
}

EK_INLINE float32x4_t widen_high(uint16x8_t halves) {
  return vcvt_high_f32_f16(vreinterpretq_f16_u16(halves));
}

EK_INLINE uint16x4_t narrow(float32x4_t values) {
  return vreinterpret_u16_f16(vcvt_f16_f32(values));
}

static void ek_convert_f32_f16_neon(const float *source, size_t count, uint16_t *destination) {
  size_t i = 0;
  for (; i + 4 <= count; i += 4) vst1_u16(destination + i, narrow(vld1q_f32(source + i)));
  for (; i < count; i++) destination[i] = ek_half_from_float(source[i]);
}

static void ek_convert_f16_f32_neon(const uint16_t *source, size_t count, float *destination) {
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    uint16x8_t halves = vld1q_u16(source + i);
    vst1q_f32(destination + i, widen_low(halves));
    vst1q_f32(destination + i + 4, widen_high(halves));
  }
  for (; i < count; i++) destination[i] = ek_float_from_half(source[i]);
}

/// Adds the squares of 32 floats to 32 lanes.
EK_INLINE void add_squares(const float *values, float64x2_t lanes[16]) {
  for (int g = 0; g < 8; g++) {
    float32x4_t x = vld1q_f32(values + 4 * g);
    float64x2_t low = vcvt_f64_f32(vget_low_f32(x)), high = vcvt_high_f64_f32(x);
    lanes[2 * g] = vfmaq_f64(lanes[2 * g], low, low);
    lanes[2 * g + 1] = vfmaq_f64(lanes[2 * g + 1], high, high);
  }
}

static double ek_sum_of_squares_f32_neon(const float *values, size_t count) {
  float64x2_t lanes[16];
  for (int g = 0; g < 16; g++) lanes[g] = vdupq_n_f64(0);
  size_t i = 0;
  for (; i + 32 <= count; i += 32) add_squares(values + i, lanes);
  if (i < count) {
    float padded[32] = {0};
    memcpy(padded, values + i, (count - i) * sizeof *values);
    add_squares(padded, lanes);
  }
  for (int half = 8; half > 0; half /= 2) {
    for (int g = 0; g < half; g++) lanes[g] = vaddq_f64(lanes[g], lanes[g + half]);
  }
  return vgetq_lane_f64(lanes[0], 0) + vgetq_lane_f64(lanes[0], 1);
}

static void ek_scale_f32_f16_neon(
  const float *source, size_t count, double scale, uint16_t *destination
) {
  size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    float32x4_t x = vld1q_f32(source + i);
    float64x2_t low = vmulq_n_f64(vcvt_f64_f32(vget_low_f32(x)), scale);
    float64x2_t high = vmulq_n_f64(vcvt_high_f64_f32(x), scale);
    vst1_u16(destination + i, narrow(vcvt_high_f32_f64(vcvt_f32_f64(low), high)));
  }
  for (; i < count; i++) destination[i] = ek_half_from_float((float)((double)source[i] * scale));
}

/// Adds the products of eight halves and floats to two registers of lanes.
EK_INLINE void add_products(uint16x8_t halves, const float *query, float32x4_t *lanes) {
  lanes[0] = vfmaq_f32(lanes[0], widen_low(halves), vld1q_f32(query));
  lanes[1] = vfmaq_f32(lanes[1], widen_high(halves), vld1q_f32(query + 4));
}

/// The last `dimension` mod 8 halves of a row, then +0.
EK_INLINE uint16x8_t load_last(const uint16_t *row, size_t dimension) {
  size_t rest = dimension % 8;
  if (dimension < 8) {
    uint16_t padded[8] = {0};
    memcpy(padded, row, rest * sizeof *row);
    return vld1q_u16(padded);
  }
  uint8x16_t last8 = vreinterpretq_u8_u16(vld1q_u16(row + dimension - 8));
  uint8x16_t shift = vld1q_u8(ek_shift_halves + 16 - 2 * rest);
  return vreinterpretq_u16_u8(vqtbl1q_u8(last8, shift));
}

/// K of one row; meanwhile fetches as many bytes at `prefetch`. `last` is from `ek_pad_last`.
EK_INLINE float dot_row(
  const uint16_t *row, const float *query, size_t dimension, const float last[8],
  const void *prefetch
) {
  float32x4_t lanes[16];
  for (int g = 0; g < 16; g++) lanes[g] = vdupq_n_f32(0);
  size_t j = 0;
  for (; j + 64 <= dimension; j += 64) {
    ek_prefetch(prefetch, 2 * j);
    ek_prefetch(prefetch, 2 * j + 64);
    for (int g = 0; g < 8; g++) {
      add_products(vld1q_u16(row + j + 8 * g), query + j + 8 * g, lanes + 2 * g);
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
        add_products(vld1q_u16(r), q, lanes + 2 * g);
      } else if (rest > 8 * g) {
        add_products(load_last(row, dimension), last, lanes + 2 * g);
      }
    }
  }
  for (int half = 8; half > 0; half /= 2) {
    for (int g = 0; g < half; g++) lanes[g] = vaddq_f32(lanes[g], lanes[g + half]);
  }
  float32x2_t sum2 = vadd_f32(vget_low_f32(lanes[0]), vget_high_f32(lanes[0]));
  return vget_lane_f32(sum2, 0) + vget_lane_f32(sum2, 1) + 0.0f;
}

static void ek_dot_f16_neon(
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

static void ek_dot_gather_f16_neon(
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

static size_t ek_select_f32_neon(
  const float *scores, size_t count, float threshold, uint32_t *indexes
) {
  float32x4_t limit = vdupq_n_f32(threshold);
  size_t found = 0, i = 0;
  for (; i + 16 <= count; i += 16) {
    uint32x4_t below = vcltq_f32(vld1q_f32(scores + i), limit);
    for (size_t g = 1; g < 4; g++) {
      below = vandq_u32(below, vcltq_f32(vld1q_f32(scores + i + 4 * g), limit));
    }
    if (vminvq_u32(below)) continue;  // All 16 are below.
    for (size_t j = i; j < i + 16; j++) {
      indexes[found] = (uint32_t)j;
      found += !(scores[j] < threshold);
    }
  }
  for (; i < count; i++) {
    if (!(scores[i] < threshold)) indexes[found++] = (uint32_t)i;
  }
  return found;
}

static void ek_widen_rows_f16_neon(
  const void *rows, size_t stride_bytes, size_t count, size_t dimension, float *destination,
  size_t destination_stride
) {
  for (size_t i = 0; i < count; i++) {
    ek_convert_f16_f32_neon(
      ek_row(rows, stride_bytes, i), dimension, destination + i * destination_stride);
  }
}

static uint64_t ek_read_bytes_neon(const void *bytes, size_t byte_count) {
  const unsigned char *at = bytes;
  uint8x16_t lanes[8];
  for (int g = 0; g < 8; g++) lanes[g] = vdupq_n_u8(0);
  for (; byte_count >= 128; at += 128, byte_count -= 128) {
    for (int g = 0; g < 8; g++) lanes[g] = veorq_u8(lanes[g], vld1q_u8(at + 16 * g));
  }
  for (int g = 1; g < 8; g++) lanes[0] = veorq_u8(lanes[0], lanes[g]);
  uint64x2_t words = vreinterpretq_u64_u8(lanes[0]);
  return vgetq_lane_u64(words, 0) ^ vgetq_lane_u64(words, 1) ^ ek_read_rest(at, byte_count);
}

static void ek_bitmap_range_i64_neon(
  const int64_t *values, size_t count, int64_t lower, int64_t upper, uint64_t *words
) {
  int64x2_t low = vdupq_n_s64(lower), high = vdupq_n_s64(upper);
  size_t i = 0;
  for (; i + 64 <= count; i += 64) {
    uint64x2_t bits = vdupq_n_u64(0);
    for (size_t g = 32; g-- > 0;) {  // Lane 0 gathers the even bits, lane 1 the odd ones.
      int64x2_t v = vld1q_s64(values + i + 2 * g);
      uint64x2_t inside = vandq_u64(vcgeq_s64(v, low), vcleq_s64(v, high));
      bits = vsubq_u64(vshlq_n_u64(bits, 2), inside);
    }
    words[i / 64] = vgetq_lane_u64(bits, 0) | vgetq_lane_u64(bits, 1) << 1;
  }
  if (i < count) words[i / 64] = ek_range_word(values + i, count - i, lower, upper);
}

const struct ek_kernels ek_table_neon = {
  .convert_f32_f16 = ek_convert_f32_f16_neon,
  .convert_f16_f32 = ek_convert_f16_f32_neon,
  .sum_of_squares_f32 = ek_sum_of_squares_f32_neon,
  .scale_f32_f16 = ek_scale_f32_f16_neon,
  .dot_f16 = ek_dot_f16_neon,
  .dot_gather_f16 = ek_dot_gather_f16_neon,
  .select_f32 = ek_select_f32_neon,
  .widen_rows_f16 = ek_widen_rows_f16_neon,
  .read_bytes = ek_read_bytes_neon,
  .bitmap_range_i64 = ek_bitmap_range_i64_neon,
};

#endif
