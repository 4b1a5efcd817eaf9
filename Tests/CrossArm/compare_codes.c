// Compares the routines on codes of a level with the scalar ones, bit for bit.
//
// A NaN that arithmetic brings forth may have any sign and payload; one that is only moved may not.

#include "compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct ek_code_kernels *scalar, *level;

enum {
  group_rows = 16,
  /// Entries behind its list that scan and part may write.
  scratch = 16,
  /// Entries of a longer list around a run that refine works on.
  others = 24,
  most_rows = 300,
  most_width = 256,
  // Pieces of memory: three for each list, four for the queries of segments.
  codes_piece = 0,
  allowed_piece = 1,
  query_piece = 2,
  list_piece = 6,
};

// MARK: - Inputs

/// 0 ordinary constants, 1 of any magnitude, 2 infinities and NaN among ordinary ones.
static float any_constant(size_t kind) {
  static const float special[6] = {INFINITY, -INFINITY, NAN, 0, -0.0f, 3e38f};
  if (kind == 2 && next() % 3 == 0) return special[next() % 6];
  return kind == 1 ? any_float(1, 254) : any_float(120, 10);
}

/// 0 any bytes, 1 the largest, 2 the smallest, 3 both in turns.
static int8_t any_query_byte(size_t kind, size_t index) {
  switch (kind) {
  case 1: return 127;
  case 2: return -127;
  case 3: return index % 2 ? 127 : -127;
  default: return (int8_t)((int)(next() % 255) - 127);
  }
}

/// 0 any nibbles, 1 all 15, 2 all 0, 3 and 4 only the low or high ones of a byte 15.
static uint8_t any_code(size_t kind) {
  static const uint8_t same_codes[5] = {0, 0xff, 0, 0x0f, 0xf0};
  return kind == 0 ? (uint8_t)next() : same_codes[kind];
}

/// Bytes of a row beside its codes: often the smallest or largest.
static uint8_t any_row_byte(void) {
  uint64_t bits = next();
  return bits % 8 == 0 ? 0 : bits % 8 == 1 ? 255 : (uint8_t)(bits >> 8);
}

static struct ek_code_bound any_bound(size_t kind) {
  struct ek_code_bound bound = {any_constant(kind), any_constant(kind), any_constant(kind)};
  return bound;
}

static struct ek_code_segment any_segment(
  size_t piece, size_t width, size_t constants, size_t query, size_t gap
) {
  int8_t *bytes = before(piece, width, gap);
  struct ek_code_segment segment = {bytes, width, 0, any_constant(constants)};
  for (size_t i = 0; i < width; i++) {
    bytes[i] = any_query_byte(query, i);
    segment.offset += 15 * bytes[i];
  }
  return segment;
}

/// Thresholds that keep everything, next to nothing, some with a tie, some without it, only
/// infinity and NaN, and, being NaN, everything.
enum { threshold_count = 6 };
static float any_threshold(size_t kind, const float *bounds, size_t count) {
  float middle = count ? bounds[next() % count] : 0;
  switch (kind) {
  case 0: return -INFINITY;
  case 1: return 3.4e38f;
  case 2: return middle;
  case 3: return nextafterf(middle, INFINITY);
  case 4: return INFINITY;
  default: return NAN;
  }
}

// MARK: - Lists

/// A list of exactly `count` entries, each of the three arrays before a fence.
static struct ek_code_list list_at(size_t index, size_t count) {
  size_t piece = list_piece + 3 * index;
  struct ek_code_list list = {
    before(piece, 4 * count, 0), before(piece + 1, 4 * count, 0), before(piece + 2, 4 * count, 0)};
  return list;
}

static struct ek_code_list part_of(struct ek_code_list list, size_t start) {
  struct ek_code_list part = {list.rows + start, list.bounds + start, list.estimates + start};
  return part;
}

static void copy_list(struct ek_code_list to, struct ek_code_list from, size_t count) {
  memcpy(to.rows, from.rows, 4 * count);
  memcpy(to.bounds, from.bounds, 4 * count);
  memcpy(to.estimates, from.estimates, 4 * count);
}

/// Entries of any bits.
static void fill_list(struct ek_code_list list, size_t count) {
  for (size_t i = 0; i < count; i++) {
    uint64_t bits = next();
    list.rows[i] = (uint32_t)next();
    memcpy(&list.bounds[i], &bits, 4);
    bits >>= 32;
    memcpy(&list.estimates[i], &bits, 4);
  }
}

static int same_list(struct ek_code_list a, struct ek_code_list b, size_t count) {
  return same(a.rows, b.rows, 4 * count) && same(a.bounds, b.bounds, 4 * count)
    && same(a.estimates, b.estimates, 4 * count);
}

static int same_results(const float *a, const float *b, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (!same(&a[i], &b[i], 4) && !(isnan(a[i]) && isnan(b[i]))) return 0;
  }
  return 1;
}

static int same_computed_list(struct ek_code_list a, struct ek_code_list b, size_t count) {
  return same(a.rows, b.rows, 4 * count) && same_results(a.bounds, b.bounds, count)
    && same_results(a.estimates, b.estimates, count);
}

// MARK: - Comparisons

/// A failure's size is 1,000 times the width and the rows; its detail is the kind of threshold, 10
/// times the kind of input and 1,000 times the kind of bits.
static void compare_scan(size_t width, size_t row_count, size_t kind, size_t gap) {
  static float bounds[most_rows];
  size_t constants = kind % 3, codes = kind % 5, query = kind % 4;
  size_t line_bytes = width / 8 * 64, group_bytes = line_bytes + 64;
  size_t byte_count = (row_count + group_rows - 1) / group_rows * group_bytes;
  uint8_t *groups = before(codes_piece, byte_count, gap);
  for (size_t i = 0; i < byte_count; i++) {
    groups[i] = i % group_bytes < line_bytes ? any_code(codes) : any_row_byte();
  }
  struct ek_code_scan scan = {
    any_segment(query_piece, width, constants, query, gap), any_bound(constants),
    any_constant(constants), any_constant(constants)};

  size_t word_count = (row_count + 63) / 64;
  uint64_t *words = before(allowed_piece, 8 * word_count, 0);
  static const uint32_t first_rows[3] = {0, 8192, UINT32_MAX - most_rows};
  uint32_t first_row = first_rows[next() % 3];
  struct ek_code_list lists[2] = {list_at(0, row_count + scratch), list_at(1, row_count + scratch)};
  size_t all =
    scalar->scan(groups, row_count, &scan, -INFINITY, NULL, first_row, lists[0]);
  check(all == row_count, "scan of all", row_count, kind);
  memcpy(bounds, lists[0].bounds, 4 * all);
  // No bits; any; all clear; all set; one of 16 rows in four.
  for (size_t bits = 0; bits < 5; bits++) {
    for (size_t i = 0; i < word_count; i++) {
      words[i] = bits == 1 ? next() : bits == 2 ? 0 : bits == 3 ? UINT64_MAX
        : (uint64_t)1 << next() % 64;
    }
    for (size_t i = 0; i < threshold_count; i++) {
      float threshold = any_threshold(i, bounds, all);
      const uint64_t *allowed = bits ? words : NULL;
      fill_list(lists[0], row_count + scratch);
      fill_list(lists[1], row_count + scratch);
      size_t found[2] = {
        scalar->scan(groups, row_count, &scan, threshold, allowed, first_row, lists[0]),
        level->scan(groups, row_count, &scan, threshold, allowed, first_row, lists[1])};
      int ok = found[0] == found[1] && same_computed_list(lists[0], lists[1], found[0]);
      check(ok, "scan", 1000 * width + row_count, i + 10 * kind + 1000 * bits);
    }
  }
}

/// Rows in increasing order with gaps of a kind; returns how many rows there have to be.
static size_t fill_rows(uint32_t *rows, size_t count, uint32_t first_row, size_t gaps) {
  size_t row = gaps ? next() % 3 : 0;
  for (size_t i = 0; i < count; i++) {
    size_t skipped = gaps == 1 ? next() % 3 : gaps == 2 && next() % 4 == 0 ? next() % 40 : 0;
    if (i) row += 1 + skipped;
    rows[i] = first_row + (uint32_t)row;
  }
  return count ? row + 1 : 0;
}

/// A failure's size is 1,000 times a record's packed bytes and the rows; its detail as above.
static void compare_refine(
  const size_t *widths, size_t segment_count, size_t count, size_t kind, size_t tail
) {
  static uint32_t rows[most_rows + 2 * others];
  static float given_bounds[most_rows + 2 * others], estimates[most_rows + 2 * others];
  static float bounds[most_rows];
  size_t constants = kind % 3, codes = kind % 5, query = kind % 4, gap = kind % 2 * 5;
  struct ek_code_segment segments[ek_code_segments];
  struct ek_code_refinement stage = {
    segments, segment_count, segment_count + 2, any_bound(constants)};
  size_t packed = 0;
  for (size_t s = 0; s < segment_count; s++) {
    segments[s] = any_segment(query_piece + s, widths[s], constants, query, gap);
    packed += widths[s] / 2;
  }
  stage.record_bytes += packed;
  if (kind % 2) stage.record_bytes = (stage.record_bytes + 3) / 4 * 4;

  // The run lies behind `others` entries and before `tail` of them.
  size_t total = others + count + tail;
  uint32_t first_row = next() % 2 ? 0 : UINT32_MAX - 50 * most_rows;
  struct ek_code_list lists[2] = {list_at(0, total), list_at(1, total)};
  struct ek_code_list given = {rows, given_bounds, estimates};
  fill_list(given, total);
  size_t row_count = fill_rows(rows + others, count, first_row, next() % 3);
  for (size_t i = 0; i < total; i++) estimates[i] = any_constant(constants);
  size_t byte_count = row_count * stage.record_bytes;
  uint8_t *records = before(codes_piece, byte_count, gap);
  for (size_t i = 0; i < byte_count; i++) {
    records[i] = i % stage.record_bytes < packed ? any_code(codes) : any_row_byte();
  }

  copy_list(lists[0], given, total);
  size_t all = scalar->refine(
    records, &stage, -INFINITY, first_row, part_of(lists[0], others), count);
  check(all == count, "refine of all", count, kind);
  memcpy(bounds, lists[0].bounds + others, 4 * count);
  for (size_t i = 0; i < threshold_count; i++) {
    float threshold = any_threshold(i, bounds, count);
    size_t kept[2], size = 1000 * packed + count;
    for (size_t j = 0; j < 2; j++) {
      copy_list(lists[j], given, total);
      kept[j] = (j ? level : scalar)
                  ->refine(records, &stage, threshold, first_row, part_of(lists[j], others), count);
    }
    int ok = kept[0] == kept[1]
      && same_computed_list(part_of(lists[0], others), part_of(lists[1], others), kept[0]);
    check(ok, "refine", size, i + 10 * kind);
    for (size_t j = 0; j < 2; j++) {
      ok = same_list(lists[j], given, others)
        && same_list(part_of(lists[j], others + count), part_of(given, others + count), tail);
      check(ok, j ? "what surrounds a refined run" : "the same by scalar", size, i + 10 * kind);
    }
  }
}

static void compare_lists(size_t count) {
  static uint32_t rows[most_rows], other_rows[most_rows + scratch];
  static float bounds[most_rows], other_bounds[most_rows + scratch];
  static float estimates[most_rows], other_estimates[most_rows + scratch];
  static const uint32_t special[8] = {
    0x7fc00000, 0xffc00123, 0x7f800000, 0xff800000, 0, 0x80000000, 1, 0x7f800001};
  struct ek_code_list given = {rows, bounds, estimates};
  fill_list(given, count);
  for (size_t i = 0; i < count; i++) {
    bounds[i] = (float)(int)(next() % 9) / 4 - 1;
    if (next() % 4 == 0) memcpy(&bounds[i], &special[next() % 8], 4);
  }
  for (size_t i = 0; i < 4 * threshold_count; i++) {
    float threshold = any_threshold(i / 4, bounds, count);
    float ceiling = any_threshold(next() % threshold_count, bounds, count);
    size_t room = count + scratch, copied[2], kept[2];
    struct ek_code_list lists[2] = {list_at(0, room), list_at(1, room)};
    for (size_t l = 0; l < 2; l++) copy_list(lists[l], given, count);
    struct ek_code_list expected = {other_rows, other_bounds, other_estimates};
    copied[0] = scalar->copy(lists[0], count, threshold, expected);
    check(copied[0] <= count, "copy", count, i);
    // The other list has no more room than it needs.
    struct ek_code_list other = list_at(2, copied[0] + scratch);
    copied[1] = level->copy(lists[1], count, threshold, other);
    check(copied[0] == copied[1] && same_list(expected, other, copied[0]), "copy", count, i);
    check(same_list(lists[1], given, count), "copy", count, i);
    kept[0] = scalar->keep(lists[0], count, threshold, ceiling);
    kept[1] = level->keep(lists[1], count, threshold, ceiling);
    check(kept[0] == kept[1] && same_list(lists[0], lists[1], kept[0]), "keep", count, i);
  }
}

void compare_codes(
  const struct ek_code_kernels *scalar_kernels, const struct ek_code_kernels *level_kernels
) {
  static const size_t counts[] = {0,  1,  2,  3,  4,  5,  7,  8,  9,  15,  16, 17,
                                  31, 32, 33, 47, 48, 63, 64, 65, 80, 127, 129, most_rows};
  enum { count_count = sizeof counts / sizeof *counts, kinds = 60 };
  // Stages of one segment and last stages, as layouts have them and others.
  static const size_t widths[][ek_code_segments + 1] = {
    {1, 32},           {1, 64},           {1, 96},          {1, 128},
    {1, 160},          {1, 192},          {1, 224},         {1, 256},
    {4, 128, 64, 64, 256}, {4, 128, 64, 64, 32}, {3, 128, 64, 32}, {3, 128, 64, 64},
    {2, 128, 32},      {2, 64, 64},       {4, 32, 32, 32, 32}, {4, 256, 256, 256, 256},
    {4, 96, 160, 224, 192},
  };
  scalar = scalar_kernels;
  level = level_kernels;
  for (size_t i = 0; i < count_count; i++) {
    // Each kind is another mix of constants, codes and query bytes.
    for (size_t kind = 0; kind < kinds; kind++) {
      if (counts[i] > 33 && kind % 7) continue;  // Emulation is slow.
      for (size_t width = 32; width <= 128; width += 32) {
        compare_scan(width, counts[i], kind, kind % 2 * 7);
      }
      for (size_t j = kind % 4; j < sizeof widths / sizeof *widths; j += 4) {
        compare_refine(widths[j] + 1, widths[j][0], counts[i], kind, next() % 2 * others);
      }
      // The width that has a routine of its own.
      compare_refine(widths[1] + 1, 1, counts[i], kind, next() % 2 * others);
    }
  }
  for (size_t count = 0; count <= 200; count++) compare_lists(count);
}

// MARK: - Shared routines

static void check_bounds(size_t count) {
  float *bounds = before(0, 4 * count, 0);
  for (size_t kind = 0; kind < 6; kind++) {
    for (size_t i = 0; i < count; i++) {
      bounds[i] = kind == 5 ? 1e30f : any_constant(kind % 3);
      if (kind >= 3 && kind < 5 && next() % 2) bounds[i] = bounds[0];
    }
    for (size_t i = 0; i < 8; i++) {
      size_t wanted = i == 7 ? count + 1 : count * i / 6;
      float bound = ek_bound_reached_by(bounds, count, wanted);
      size_t reached = ek_count_reaching(bounds, count, bound);
      // Up to here every bound is part of the sample.
      int ok = reached <= count && (count >= 2048 || reached >= (wanted < count ? wanted : count));
      check(ok, "ek_bound_reached_by", count, wanted);
    }
  }
}

static void check_coding(size_t width, size_t gap) {
  float *components = before(0, 4 * width, gap / 4 * 4);
  float *units = before(1, width / 8, gap / 4 * 4);
  uint8_t *codes = before(2, width, gap), *packed = before(3, width / 2, gap);
  static const double scales[6] = {0, 1e-3, 1, 100, 1e-300, 1e30};
  for (size_t kind = 0; kind < 12; kind++) {
    for (size_t i = 0; i < width; i++) {
      components[i] = kind % 2 ? any_float(0, 255) : any_float(120, 14);
    }
    for (size_t i = 0; i < width / 32; i++) units[i] = any_float(kind % 2 ? 100 : 120, 14);
    for (size_t i = 0; i < width / 32; i++) units[i] = fabsf(units[i]);
    ek_code_components(components, units, width, scales[kind / 2], codes);
    float largest = ek_largest_component(components, units, width);
    check(largest >= 0, "ek_largest_component", width, kind);
    for (int high = 0; high < 2; high++) {
      ek_pack_nibbles(codes, width, high, packed);
      int ok = 1;
      for (size_t i = 0; i < width; i++) {
        int nibble = packed[i % (width / 2)] >> (i < width / 2 ? 0 : 4) & 15;
        ok &= nibble == (high ? codes[i] / 16 : codes[i] % 16);
      }
      check(ok, "ek_pack_nibbles", width, kind);
    }
  }
}

void check_code_helpers(void) {
  static const size_t counts[] = {0, 1, 2, 3, 100, 2047, 2048, 2049, 4095, 4096, 10000};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) check_bounds(counts[i]);
  for (size_t width = 32; width <= 512; width += 32) {
    check_coding(width, 0);
    check_coding(width, 9);
  }
}
