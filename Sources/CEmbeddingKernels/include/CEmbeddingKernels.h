#pragma once

#include <stddef.h>
#include <stdint.h>

/// Numeric routines, once per instruction-set tier.
///
/// Every level returns the same bits for the same input, save for the sign and payload of a NaN
/// that a sum or product brings forth. No routine reads or writes outside the elements that its
/// arguments name. Halves are IEEE 754 binary16 bit patterns in `uint16_t`; pointers need the
/// alignment of their element and no more.

enum ek_level {
  ek_level_scalar,
  ek_level_avx2,    // AVX2, FMA, F16C
  ek_level_avx512,  // F, BW, VL, DQ and everything in ek_level_avx2
  ek_level_neon,    // AArch64 baseline
};

struct ek_kernels {
  /// Rounds to nearest, ties to even; overflow gives infinity. A NaN keeps its sign and its top
  /// ten mantissa bits and becomes quiet.
  void (*convert_f32_f16)(const float *source, size_t count, uint16_t *destination);

  /// Exact. A NaN becomes quiet and keeps the rest.
  void (*convert_f16_f32)(const uint16_t *source, size_t count, float *destination);

  /// Σ x², where component j goes to lane j mod 32 of 32 doubles in increasing j; the lanes are
  /// then halved 32, 16, 8, 4, 2, 1 by adding lane i and lane i + half.
  ///
  /// Squares are exact and no finite float overflows the sum; it is finite exactly when every
  /// component is, and never below the largest square.
  double (*sum_of_squares_f32)(const float *values, size_t count);

  /// destination[j] = half(float(double(source[j]) * scale)), each step rounded to nearest even.
  void (*scale_f32_f16)(const float *source, size_t count, double scale, uint16_t *destination);

  /// K of a query and `count` rows of `dimension` halves, the first at `rows` and each
  /// `stride_bytes` (even) after the one before.
  ///
  /// K has 64 float lanes that start at +0. Component j is added to lane j mod 64 by a fused
  /// multiply-add, in increasing j. The lanes are then halved 64, 32, 16, 8, 4, 2, 1 by adding
  /// lane i and lane i + half, and +0 is added to what is left: a score is never -0, so zeros
  /// that pad a row never change its bits.
  void (*dot_f16)(
    const void *rows, size_t stride_bytes, size_t count, const float *query, size_t dimension,
    float *scores);

  /// K of a query and the rows that `indexes` name, in that order.
  void (*dot_gather_f16)(
    const void *rows, size_t stride_bytes, const uint32_t *indexes, size_t count,
    const float *query, size_t dimension, float *scores);

  /// Writes every i with !(scores[i] < threshold), which keeps ties and NaN, in increasing order
  /// and returns how many there are. `indexes` has room for `count`; what lies beyond the
  /// returned number is scratch.
  size_t (*select_f32)(const float *scores, size_t count, float threshold, uint32_t *indexes);

  /// Widens `count` rows of `dimension` halves into rows of floats, `destination_stride` floats
  /// apart.
  void (*widen_rows_f16)(
    const void *rows, size_t stride_bytes, size_t count, size_t dimension, float *destination,
    size_t destination_stride);

  /// The exclusive or of the bytes taken as 64-bit little-endian words, the last one padded with
  /// zero. Does nothing but read: the yardstick for memory bandwidth.
  uint64_t (*read_bytes)(const void *bytes, size_t byte_count);

  /// Sets bit i mod 64 of word i / 64 when lower <= values[i] <= upper and clears every other bit
  /// of ⌈count / 64⌉ words.
  void (*bitmap_range_i64)(
    const int64_t *values, size_t count, int64_t lower, int64_t upper, uint64_t *words);
};

/// The routines of a level, or NULL when the compiler's target or this processor lacks it.
const struct ek_kernels *ek_kernels_at(enum ek_level level);

/// The value of the environment variable EMBEDDING_KERNEL_LEVEL, or NULL.
const char *ek_requested_level(void);

#if defined(__APPLE__)
/// products[i][j] = Σ left[i][t] · right[j][t], row-major, by Accelerate.
void ek_matrix_product_f32(
  const float *left, size_t left_count, const float *right, size_t right_count, size_t depth,
  float *products, size_t product_stride);
#endif
