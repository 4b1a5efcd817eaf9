#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "CEmbeddingKernels.h"

// What the level files share. Only an explicit fma may fuse: the results of a level must not hang
// on what the compiler makes of a product and a sum.
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

// File-scope target attribute, so that no build flag has to name an instruction set.
#if defined(__clang__)
#define EK_PRAGMA(text) _Pragma(#text)
#define EK_TARGET_PUSH(features) \
  EK_PRAGMA(clang attribute push(__attribute__((target(features))), apply_to = function))
#define EK_TARGET_POP _Pragma("clang attribute pop")
#else
#define EK_PRAGMA(text) _Pragma(#text)
#define EK_TARGET_PUSH(features) _Pragma("GCC push_options") EK_PRAGMA(GCC target(features))
#define EK_TARGET_POP _Pragma("GCC pop_options")
#endif

#define EK_INLINE static inline __attribute__((always_inline))

extern const struct ek_kernels ek_table_scalar;
#if defined(__x86_64__)
extern const struct ek_kernels ek_table_avx2;
extern const struct ek_kernels ek_table_avx512;
#elif defined(__aarch64__)
extern const struct ek_kernels ek_table_neon;
#endif

enum {
  /// How far ahead of the row being scored a block is fetched. Two pages: that also brings in the
  /// next page's translation before the hardware prefetcher, which stops at the page's edge, needs
  /// it.
  ek_prefetch_bytes = 8192,
};

/// Asks for the line `offset` bytes after `base`, which may lie beyond what the caller owns: a
/// prefetch never faults.
///
/// Into the second-level cache: filling the first level this far ahead took a quarter off the
/// bandwidth of a Zen 4 core.
EK_INLINE void ek_prefetch(const void *base, size_t offset) {
  __builtin_prefetch((const void *)((uintptr_t)base + offset), 0, 2);
}

/// How many rows ahead a gather fetches.
EK_INLINE size_t ek_gather_ahead(size_t dimension) {
  size_t rows = ek_prefetch_bytes / (2 * dimension + 64);
  return rows < 2 ? 2 : rows > 32 ? 32 : rows;
}

EK_INLINE uint16_t ek_half_from_float(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  uint32_t sign = bits >> 16 & 0x8000;
  bits &= 0x7fffffff;
  if (bits > 0x7f800000) return (uint16_t)(sign | 0x7e00 | (bits >> 13 & 0x3ff));
  if (bits >= 0x477ff000) return (uint16_t)(sign | 0x7c00);  // 65520 and up
  if (bits >= 0x38800000) {                                  // 2^-14 and up: normal
    bits += 0xfff + (bits >> 13 & 1);
    return (uint16_t)(sign | (bits - ((uint32_t)112 << 23)) >> 13);
  }
  if (bits < 0x33000000) return (uint16_t)sign;  // below 2^-25
  // Subnormal: count units of 2^-24.
  uint32_t shift = 126 - (bits >> 23);
  uint32_t mantissa = (bits & 0x7fffff) | 0x800000;
  uint32_t units = mantissa >> shift;
  uint32_t rest = mantissa & (((uint32_t)1 << shift) - 1);
  uint32_t middle = (uint32_t)1 << (shift - 1);
  units += rest > middle || (rest == middle && (units & 1));
  return (uint16_t)(sign | units);
}

EK_INLINE float ek_float_from_half(uint16_t half) {
  uint32_t sign = (uint32_t)(half & 0x8000) << 16;
  uint32_t exponent = half >> 10 & 31;
  uint32_t mantissa = half & 0x3ff;
  uint32_t bits;
  if (exponent == 31) {
    bits = 0x7f800000 | (mantissa ? 0x400000 | mantissa << 13 : 0);
  } else if (exponent == 0) {
    float magnitude = (float)mantissa * 0x1p-24f;
    memcpy(&bits, &magnitude, sizeof bits);
  } else {
    bits = (exponent + 112) << 23 | mantissa << 13;
  }
  bits |= sign;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/// The exclusive or of the last words, for what a level's wide loop leaves over.
EK_INLINE uint64_t ek_read_rest(const unsigned char *bytes, size_t byte_count) {
  uint64_t sum = 0, word;
  for (; byte_count >= 8; bytes += 8, byte_count -= 8) {
    memcpy(&word, bytes, 8);
    sum ^= word;
  }
  for (size_t i = 0; i < byte_count; i++) sum ^= (uint64_t)bytes[i] << (8 * i);
  return sum;
}

/// The bits of up to 64 values.
EK_INLINE uint64_t ek_range_word(
  const int64_t *values, size_t count, int64_t lower, int64_t upper
) {
  uint64_t word = 0;
  for (size_t i = 0; i < count; i++) {
    word |= (uint64_t)(lower <= values[i] && values[i] <= upper) << i;
  }
  return word;
}

/// Table for byte shuffles: 16 bytes from 16 - 2n on move the last n of eight halves to the front
/// and put zero behind them.
static const uint8_t ek_shift_halves[32] __attribute__((unused)) = {
  0,    1,    2,    3,    4,    5,    6,    7,    8,    9,    10,   11,   12,   13,   14,   15,
  0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
};

/// The last `dimension` mod 8 components of a query, then +0.
EK_INLINE void ek_pad_last(const float *query, size_t dimension, float last[8]) {
  size_t rest = dimension % 8;
  for (size_t i = 0; i < 8; i++) last[i] = i < rest ? query[dimension - rest + i] : 0;
}

/// Row `index` of a block.
EK_INLINE const uint16_t *ek_row(const void *rows, size_t stride_bytes, size_t index) {
  return (const uint16_t *)(const void *)((const char *)rows + index * stride_bytes);
}
