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
  ek_level_avxvnni,     // AVX-VNNI and everything in ek_level_avx2
  ek_level_avx512vnni,  // AVX-512 VNNI and everything in ek_level_avx512
  ek_level_neondot,     // dot products of bytes and everything in ek_level_neon
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

/// What turns the integers of one group of code components into a score.
struct ek_code_segment {
  const int8_t *query;  // one byte a component
  size_t width;         // components, a multiple of 32
  int32_t offset;       // 15 Σ query
  float product;        // what 2 Σ nibble·query - offset is worth, times the row's scale byte
};

/// How the bound of a row follows from its estimate: estimate + error·R + rest·τ + slack, where R
/// and τ are the row's bytes.
struct ek_code_bound {
  float error, rest, slack;
};

/// The first stage of a query in one chunk: estimate = base + projection·a + product·…
struct ek_code_scan {
  struct ek_code_segment segment;
  struct ek_code_bound bound;
  float base, projection;
};

/// The most segments of a stage.
enum { ek_code_segments = 4 };

/// A later stage of a query in one chunk. A record is the packed nibbles of each segment, a scale
/// byte for each, R and τ.
struct ek_code_refinement {
  const struct ek_code_segment *segments;
  size_t segment_count;
  size_t record_bytes;
  struct ek_code_bound bound;
};

/// Numbers, bounds and estimates of rows.
struct ek_code_list {
  uint32_t *rows;
  float *bounds;
  float *estimates;
};

/// Routines on compact codes, once per instruction-set tier; `Docs/Search.md` has the formulas.
///
/// Sums of products of nibbles and bytes are exact integers; what follows is Float32 arithmetic in
/// a fixed order, so every level returns the same bits.
struct ek_code_kernels {
  /// Estimates and bounds the scores of `row_count` rows from groups of 16: of each group
  /// `width` / 8 lines of 64 bytes, in which row i has bytes 4i to 4i + 3, then a line of bytes
  /// a, scale, R and τ, 16 each. Byte j of line t holds component 4t + j mod 4 in its low nibble
  /// and component `width` / 2 + 4t + j mod 4 in its high one.
  ///
  /// Writes number, bound and estimate of every row whose bit in `allowed` (NULL: all are set) is
  /// set and whose bound is not below the threshold, in increasing order; numbers begin at
  /// `first_row`. Returns how many; the lists have room for `row_count` and 16 more.
  size_t (*scan)(
    const uint8_t *groups, size_t row_count, const struct ek_code_scan *scan, float threshold,
    const uint64_t *allowed, uint32_t first_row, struct ek_code_list found);

  /// Adds a stage to the estimates of listed rows and keeps those whose new bound is not below
  /// the threshold, in their order. Returns how many. Records begin at `first_row`.
  size_t (*refine)(
    const uint8_t *records, const struct ek_code_refinement *stage, float threshold,
    uint32_t first_row, struct ek_code_list list, size_t count);

  /// Copies the rows whose bound is not below the threshold to another list, which has room for 16
  /// more, in their order. Returns how many.
  size_t (*copy)(
    struct ek_code_list list, size_t count, float threshold, struct ek_code_list other);

  /// Keeps, in their order, the rows whose bound is below the ceiling and not below the threshold.
  /// Returns how many. The list has room for 16 more.
  size_t (*keep)(struct ek_code_list list, size_t count, float threshold, float ceiling);
};

/// A bound that about `wanted` of `count` bounds reach, as far as a sample of 1,024 or so and 512
/// steps between its smallest and its largest tell; minus infinity when there are not that many.
float ek_bound_reached_by(const float *bounds, size_t count, size_t wanted);

/// How many bounds are not below the threshold.
size_t ek_count_reaching(const float *bounds, size_t count, float threshold);

/// The routines on codes of a level, or NULL as above.
const struct ek_code_kernels *ek_code_kernels_at(enum ek_level level);

/// What coding one segment of a row comes to.
struct ek_coding_errors {
  double high, full;            // Σ (component - decoded)² of the high nibbles, of whole codes
  double high_norm, full_norm;  // Σ decoded² in units of the component's scale
};

/// Codes `width` components c as bytes: ⌊c / (unit·scale) + 128⌋ within 0...255, which stands for
/// unit·scale·(byte - 127.5). `units` has one for every 32 components.
struct ek_coding_errors ek_code_components(
  const float *components, const float *units, size_t width, double scale, uint8_t *codes);

/// The largest |c| / unit.
float ek_largest_component(const float *components, const float *units, size_t width);

/// Packs the high or low nibbles of `width` codes: code j into the low half of byte j, code
/// `width` / 2 + j into the high half.
void ek_pack_nibbles(const uint8_t *codes, size_t width, int high, uint8_t *packed);

/// Writes row - projection·direction; row and direction as floats.
void ek_subtract_projection(
  const float *row, const float *direction, double projection, size_t count, double *difference);

/// Σ left·right in doubles.
double ek_dot_f32_f64(const float *left, const float *right, size_t count);

/// products[i] = Σ rows[i][j]·vector[j], rows of `dimension` floats one after the other.
///
/// As many components as fill 32 lanes are added to lane j mod 32, the lanes are halved as above,
/// and the other components are added one by one; every step is rounded to a float.
void ek_products_f32(
  const float *rows, size_t row_count, const float *vector, size_t dimension, float *products);

/// The value of the environment variable EMBEDDING_KERNEL_LEVEL, or NULL.
const char *ek_requested_level(void);

/// Tells the processor that the thread does nothing but wait for another one.
static inline void ek_pause(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

#if defined(__APPLE__)
/// products[i][j] = Σ left[i][t] · right[j][t], row-major, by Accelerate.
void ek_matrix_product_f32(
  const float *left, size_t left_count, const float *right, size_t right_count, size_t depth,
  float *products, size_t product_stride);

/// products[i][j] += …, as above.
void ek_matrix_product_adding_f32(
  const float *left, size_t left_count, const float *right, size_t right_count, size_t depth,
  float *products, size_t product_stride);

/// The same in doubles.
void ek_matrix_product_f64(
  const double *left, size_t left_count, const double *right, size_t right_count, size_t depth,
  double *products, size_t product_stride);

/// Replaces a symmetric matrix by its eigenvectors, one a row, and writes the eigenvalues, both
/// ascending. Returns 0 when that succeeded.
int ek_symmetric_eigenvectors(double *matrix, size_t dimension, double *eigenvalues);
#endif
