// Compares every kernel of every level that this machine can run with the scalar one, bit for bit.
//
// The Swift tests check the levels against independent oracles; this program only needs C, so that
// it can be cross-compiled and run under an emulator or a sanitizer. Inputs and outputs lie
// against a page without access, so a stray read or write ends the program.

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "compare.h"

const char *level_name;
static const struct ek_kernels *scalar, *level;
static size_t passed, failed;

void check(int ok, const char *what, size_t size, size_t detail) {
  if (ok) {
    passed++;
    return;
  }
  failed++;
  if (failed <= 20) printf("%s: %s differs at %zu (%zu)\n", level_name, what, size, detail);
}

int same(const void *a, const void *b, size_t byte_count) {
  return memcmp(a, b, byte_count) == 0;
}

static uint64_t state = 42;
uint64_t next(void) {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

static uint16_t any_half(void) {
  uint16_t bits = (uint16_t)next();
  return (bits & 0x7c00) == 0x7c00 ? bits & 0x83ff : bits;
}

float any_float(uint32_t low, uint32_t span) {
  uint32_t bits = (uint32_t)next() & 0x807fffff;
  bits |= (low + (uint32_t)(next() % span)) << 23;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

enum { room = 8 << 20, most = 4096 };
// One past the last byte that may be touched, for each piece of memory.
static char *fence[memory_pieces];

static void make_fences(void) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  for (size_t i = 0; i < memory_pieces; i++) {
    char *base =
      mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED || mprotect(base + room, page, PROT_NONE)) {
      perror("mmap");
      exit(2);
    }
    fence[i] = base + room;
  }
}

void *before(size_t piece, size_t byte_count, size_t gap) {
  return fence[piece] - byte_count - gap;
}

static void compare_halves(void) {
  static uint16_t halves[65536], back[2][65536];
  static float floats[2][65536];
  for (size_t i = 0; i < 65536; i++) halves[i] = (uint16_t)i;
  scalar->convert_f16_f32(halves, 65536, floats[0]);
  level->convert_f16_f32(halves, 65536, floats[1]);
  check(same(floats[0], floats[1], sizeof floats[0]), "convert_f16_f32", 65536, 0);
  scalar->convert_f32_f16(floats[0], 65536, back[0]);
  level->convert_f32_f16(floats[0], 65536, back[1]);
  check(same(back[0], back[1], sizeof back[0]), "convert_f32_f16", 65536, 0);
  for (size_t i = 0; i < 65536; i++) {
    uint16_t quiet = (i & 0x7fff) > 0x7c00 ? 0x200 : 0;
    check(back[1][i] == (halves[i] | quiet), "there and back", i, back[1][i]);
  }
}

/// The neighbourhood of every half and every point between two, then any bits at all.
static void compare_rounding(void) {
  static float floats[65536];
  static uint16_t halves[2][65536];
  for (size_t round = 0; round < 64; round++) {
    for (size_t i = 0; i < 65536; i++) {
      uint32_t bits = (uint32_t)next();
      if (round < 32) {
        // The bits that rounding drops: near none, near the middle, or near all.
        static const uint32_t dropped[8] = {0, 1, 0xfff, 0x1000, 0x1001, 0x1fff, 0x800, 0x1800};
        uint32_t exponent = 102 + (uint32_t)(i % 42);
        bits = (bits & 0x807fe000) | exponent << 23 | dropped[next() % 8];
        // Subnormal halves drop more bits.
        if (exponent < 113) bits &= ~(((uint32_t)1 << (126 - exponent - 1)) - 1) | (bits & 1);
      }
      memcpy(&floats[i], &bits, sizeof bits);
    }
    scalar->convert_f32_f16(floats, 65536, halves[0]);
    level->convert_f32_f16(floats, 65536, halves[1]);
    check(same(halves[0], halves[1], sizeof halves[0]), "convert_f32_f16", 65536, round);
  }
}

static void compare_vectors(size_t count, size_t gap) {
  float *floats = before(0, 4 * count, gap / 4 * 4);
  uint16_t *halves[2] = {before(1, 2 * count, gap), before(2, 2 * count, gap)};
  float *widened[2] = {before(3, 4 * count, gap / 4 * 4), before(4, 4 * count, gap / 4 * 4)};

  static const uint32_t ranges[3][2] = {{120, 14}, {0, 255}, {0, 20}};
  for (size_t range = 0; range < 3; range++) {
    for (size_t i = 0; i < count; i++) floats[i] = any_float(ranges[range][0], ranges[range][1]);
    double sums[2] = {
      scalar->sum_of_squares_f32(floats, count), level->sum_of_squares_f32(floats, count)};
    check(same(&sums[0], &sums[1], sizeof sums[0]), "sum_of_squares_f32", count, gap);
    static const double scales[4] = {1, 0.37, 1e30, 1e-30};
    for (size_t i = 0; i < 4; i++) {
      scalar->scale_f32_f16(floats, count, scales[i], halves[0]);
      level->scale_f32_f16(floats, count, scales[i], halves[1]);
      check(same(halves[0], halves[1], 2 * count), "scale_f32_f16", count, gap);
    }
    scalar->convert_f32_f16(floats, count, halves[0]);
    level->convert_f32_f16(floats, count, halves[1]);
    check(same(halves[0], halves[1], 2 * count), "convert_f32_f16", count, gap);
  }
  scalar->convert_f16_f32(halves[0], count, widened[0]);
  level->convert_f16_f32(halves[0], count, widened[1]);
  check(same(widened[0], widened[1], 4 * count), "convert_f16_f32", count, gap);
}

static void compare_rows(size_t dimension, size_t gap) {
  enum { row_count = 3, index_count = 5 };
  size_t stride = 2 * (dimension + next() % 40);
  size_t byte_count = (row_count - 1) * stride + 2 * dimension;
  uint16_t *rows = before(0, byte_count, gap);
  float *query = before(1, 4 * dimension, gap / 4 * 4);
  float *scores[2] = {before(2, 4 * index_count, 0), before(3, 4 * index_count, 0)};
  for (size_t i = 0; i < byte_count / 2; i++) rows[i] = any_half();

  // The second range makes products underflow, so that lanes become -0.
  static const uint32_t ranges[2][2] = {{120, 14}, {1, 12}};
  for (size_t range = 0; range < 2; range++) {
    for (size_t i = 0; i < dimension; i++) query[i] = any_float(ranges[range][0], ranges[range][1]);
    scalar->dot_f16(rows, stride, row_count, query, dimension, scores[0]);
    level->dot_f16(rows, stride, row_count, query, dimension, scores[1]);
    check(same(scores[0], scores[1], 4 * row_count), "dot_f16", dimension, gap);
  }
  uint32_t indexes[index_count] = {2, 0, 1, 2, 2};
  scalar->dot_gather_f16(rows, stride, indexes, index_count, query, dimension, scores[0]);
  level->dot_gather_f16(rows, stride, indexes, index_count, query, dimension, scores[1]);
  check(same(scores[0], scores[1], 4 * index_count), "dot_gather_f16", dimension, gap);

  size_t wide = (row_count - 1) * (dimension + 3) + dimension;
  float *widened[2] = {before(2, 4 * wide, 0), before(3, 4 * wide, 0)};
  for (size_t i = 0; i < wide; i++) widened[0][i] = widened[1][i] = 7;
  scalar->widen_rows_f16(rows, stride, row_count, dimension, widened[0], dimension + 3);
  level->widen_rows_f16(rows, stride, row_count, dimension, widened[1], dimension + 3);
  check(same(widened[0], widened[1], 4 * wide), "widen_rows_f16", dimension, gap);
}

static void compare_selection(size_t count) {
  static const uint32_t special[8] = {
    0x7fc00000, 0xffc00000, 0x7f800000, 0xff800000, 0, 0x80000000, 1, 0x7f800001};
  static const float thresholds[6] = {-1e30f, -0.5f, 0, 0.5f, 1e30f, 1};
  float *scores = before(0, 4 * count, 0);
  uint32_t *indexes[2] = {before(1, 4 * count, 0), before(2, 4 * count, 0)};
  for (size_t i = 0; i < count; i++) {
    scores[i] = (float)(int)(next() % 9) / 4 - 1;
    if (next() % 4 == 0) memcpy(&scores[i], &special[next() % 8], 4);
  }
  for (size_t i = 0; i < 6; i++) {
    size_t found[2] = {
      scalar->select_f32(scores, count, thresholds[i], indexes[0]),
      level->select_f32(scores, count, thresholds[i], indexes[1])};
    int ok = found[0] == found[1] && same(indexes[0], indexes[1], 4 * found[0]);
    check(ok, "select_f32", count, i);
  }

  static const int64_t edges[7] = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX - 1, INT64_MAX};
  int64_t *values = before(3, 8 * count, 0);
  for (size_t i = 0; i < count; i++) values[i] = edges[next() % 7];
  size_t byte_count = 8 * ((count + 63) / 64);
  uint64_t *words[2] = {before(1, byte_count, 0), before(2, byte_count, 0)};
  for (size_t i = 0; i < 49; i++) {
    scalar->bitmap_range_i64(values, count, edges[i / 7], edges[i % 7], words[0]);
    level->bitmap_range_i64(values, count, edges[i / 7], edges[i % 7], words[1]);
    check(same(words[0], words[1], byte_count), "bitmap_range_i64", count, i);
  }

  unsigned char *bytes = before(4, count, 0);
  for (size_t i = 0; i < count; i++) bytes[i] = (unsigned char)next();
  int ok = scalar->read_bytes(bytes, count) == level->read_bytes(bytes, count);
  check(ok, "read_bytes", count, 0);
}

static void compare_level(void) {
  static const size_t large[] = {255, 256, 257, 384, 512, 768, 1023, 1024, 1280, 4095, most};
  compare_halves();
  compare_rounding();
  for (size_t count = 1; count <= 200; count++) {
    for (size_t gap = 0; gap < 64; gap += 2) {
      if (count > 70 && gap % 10) continue;  // Emulation is slow.
      compare_vectors(count, gap);
      compare_rows(count, gap);
    }
    compare_selection(count);
  }
  for (size_t j = 0; j < sizeof large / sizeof *large; j++) {
    compare_vectors(large[j], 0);
    compare_rows(large[j], 0);
    compare_rows(large[j], 34);
    compare_selection(large[j]);
  }
}

int main(void) {
  static const struct {
    enum ek_level code;
    const char *name;
  } levels[] = {
    {ek_level_avx2, "avx2"},
    {ek_level_avx512, "avx512"},
    {ek_level_avxvnni, "avxvnni"},
    {ek_level_avx512vnni, "avx512vnni"},
    {ek_level_neon, "neon"},
    {ek_level_neondot, "neondot"},
  };
  enum { level_count = sizeof levels / sizeof *levels };
  make_fences();
  level_name = "plain C";
  check_code_helpers();
  scalar = ek_kernels_at(ek_level_scalar);
  const struct ek_kernels *tables[level_count] = {0};
  const struct ek_code_kernels *code_tables[level_count] = {0};
  size_t compared = 0;
  for (size_t i = 0; i < level_count; i++) {
    tables[i] = level = ek_kernels_at(levels[i].code);
    code_tables[i] = ek_code_kernels_at(levels[i].code);
    level_name = levels[i].name;
    if (!level) continue;
    compared++;
    // Levels that differ only in their routines on codes, or only in the others, share a table.
    int is_new = 1, has_new_codes = 1;
    for (size_t j = 0; j < i; j++) {
      is_new &= tables[j] != level;
      has_new_codes &= code_tables[j] != code_tables[i];
    }
    if (is_new) {
      printf("comparing %s with scalar\n", level_name);
      compare_level();
    }
    if (has_new_codes) {
      printf("comparing codes by %s with scalar\n", level_name);
      compare_codes(ek_code_kernels_at(ek_level_scalar), code_tables[i]);
    }
  }
  if (!compared) printf("no level but scalar is available\n");
  printf("%zu passed, %zu failed\n", passed, failed);
  return failed || !compared;
}
