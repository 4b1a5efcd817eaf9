// Codes with Arm's dot product of bytes (Armv8.2 option, every Apple processor since A13).

#include "levels.h"

#if defined(__aarch64__)

#include <arm_neon.h>

#define EK_LEVEL_NAME(name) name##_neondot

#if defined(__clang__)
EK_TARGET_PUSH("dotprod")
#else
EK_TARGET_PUSH("arch=armv8.2-a+dotprod")
#endif

EK_INLINE int32x4_t add_products(int32x4_t sums, int8x16_t nibbles, int8x16_t query) {
  return vdotq_s32(sums, nibbles, query);
}

#include "codes_neon.h"

EK_TARGET_POP

#endif
