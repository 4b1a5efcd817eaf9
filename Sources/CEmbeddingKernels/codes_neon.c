// Codes on the AArch64 baseline: products in 16 bits, summed in pairs.

#include "levels.h"

#if defined(__aarch64__)

#include <arm_neon.h>

#define EK_LEVEL_NAME(name) name##_neon

EK_INLINE int32x4_t add_products(int32x4_t sums, int8x16_t nibbles, int8x16_t query) {
  int16x8_t first = vmull_s8(vget_low_s8(nibbles), vget_low_s8(query));
  int16x8_t second = vmull_high_s8(nibbles, query);
  return vaddq_s32(sums, vpaddq_s32(vpaddlq_s16(first), vpaddlq_s16(second)));
}

#include "codes_neon.h"

#endif
