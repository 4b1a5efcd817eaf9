// The level that defines what every other level returns. Plain C for any processor.

#include <math.h>

#include "levels.h"

static void ek_convert_f32_f16_scalar(const float *source, size_t count, uint16_t *destination) {
  for (size_t i = 0; i < count; i++) destination[i] = ek_half_from_float(source[i]);
}

static void ek_convert_f16_f32_scalar(const uint16_t *source, size_t count, float *destination) {
  for (size_t i = 0; i < count; i++) destination[i] = ek_float_from_half(source[i]);
}

static double ek_sum_of_squares_f32_scalar(const float *values, size_t count) {
  double lanes[32] = {0};
  for (size_t i = 0; i < count; i++) {
    double value = values[i];
    lanes[i % 32] += value * value;
  }
  for (size_t half = 16; half > 0; half /= 2) {
    for (size_t i = 0; i < half; i++) lanes[i] += lanes[i + half];
  }
  return lanes[0];
}

static void ek_scale_f32_f16_scalar(
  const float *source, size_t count, double scale, uint16_t *destination
) {
  for (size_t i = 0; i < count; i++) {
    destination[i] = ek_half_from_float((float)((double)source[i] * scale));
  }
}

static float dot_row(const uint16_t *row, const float *query, size_t dimension) {
  float lanes[64] = {0};
  for (size_t i = 0; i < dimension; i++) {
    lanes[i % 64] = fmaf(ek_float_from_half(row[i]), query[i], lanes[i % 64]);
  }
  for (size_t half = 32; half > 0; half /= 2) {
    for (size_t i = 0; i < half; i++) lanes[i] += lanes[i + half];
  }
  return lanes[0] + 0.0f;
}

static void ek_dot_f16_scalar(
  const void *rows, size_t stride_bytes, size_t count, const float *query, size_t dimension,
  float *scores
) {
  for (size_t i = 0; i < count; i++) {
    scores[i] = dot_row(ek_row(rows, stride_bytes, i), query, dimension);
  }
}

static void ek_dot_gather_f16_scalar(
  const void *rows, size_t stride_bytes, const uint32_t *indexes, size_t count,
  const float *query, size_t dimension, float *scores
) {
  for (size_t i = 0; i < count; i++) {
    scores[i] = dot_row(ek_row(rows, stride_bytes, indexes[i]), query, dimension);
  }
}

static size_t ek_select_f32_scalar(
  const float *scores, size_t count, float threshold, uint32_t *indexes
) {
  size_t found = 0;
  for (size_t i = 0; i < count; i++) {
    if (!(scores[i] < threshold)) indexes[found++] = (uint32_t)i;
  }
  return found;
}

static void ek_widen_rows_f16_scalar(
  const void *rows, size_t stride_bytes, size_t count, size_t dimension, float *destination,
  size_t destination_stride
) {
  for (size_t i = 0; i < count; i++) {
    ek_convert_f16_f32_scalar(
      ek_row(rows, stride_bytes, i), dimension, destination + i * destination_stride);
  }
}

static uint64_t ek_read_bytes_scalar(const void *bytes, size_t byte_count) {
  return ek_read_rest(bytes, byte_count);
}

static void ek_bitmap_range_i64_scalar(
  const int64_t *values, size_t count, int64_t lower, int64_t upper, uint64_t *words
) {
  for (size_t i = 0; i < count; i += 64) {
    size_t rest = count - i;
    words[i / 64] = ek_range_word(values + i, rest < 64 ? rest : 64, lower, upper);
  }
}

const struct ek_kernels ek_table_scalar = {
  .convert_f32_f16 = ek_convert_f32_f16_scalar,
  .convert_f16_f32 = ek_convert_f16_f32_scalar,
  .sum_of_squares_f32 = ek_sum_of_squares_f32_scalar,
  .scale_f32_f16 = ek_scale_f32_f16_scalar,
  .dot_f16 = ek_dot_f16_scalar,
  .dot_gather_f16 = ek_dot_gather_f16_scalar,
  .select_f32 = ek_select_f32_scalar,
  .widen_rows_f16 = ek_widen_rows_f16_scalar,
  .read_bytes = ek_read_bytes_scalar,
  .bitmap_range_i64 = ek_bitmap_range_i64_scalar,
};
