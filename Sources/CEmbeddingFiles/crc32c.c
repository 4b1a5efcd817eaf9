// CRC32C (Castagnoli, reflected polynomial 0x82f63b78) with the CPU's instruction where it has one.
//
// The instruction takes 8 bytes per cycle but its result is three cycles away, so the hardware
// path runs three neighbouring lanes at once and joins their CRCs: appending n zero bytes to a
// message is a linear map of its CRC register, kept as four 256-entry tables per lane length.

#if defined(__linux__)
#define _GNU_SOURCE
#endif

#include "CEmbeddingFiles.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <nmmintrin.h>
#define HARDWARE_TARGET __attribute__((target("sse4.2")))
#define STEP_1(crc, byte) _mm_crc32_u8((uint32_t)(crc), byte)
#define STEP_8(crc, word) _mm_crc32_u64(crc, word)
#elif defined(__aarch64__) && defined(__ORDER_LITTLE_ENDIAN__)
#include <arm_acle.h>
#if defined(__APPLE__)
#include <sys/sysctl.h>
#else
#include <sys/auxv.h>
#endif
#define HARDWARE_TARGET __attribute__((target("+crc")))
#define STEP_1(crc, byte) __crc32cb((uint32_t)(crc), byte)
#define STEP_8(crc, word) __crc32cd((uint32_t)(crc), word)
#endif

enum {
  /// Long lanes make joining free; three short ones fit twice into a typical journal entry.
  long_lane = 4096,
  short_lane = 128,
};

/// Slicing table: `[n][b]` is the register after byte `b` and n zero bytes.
static uint32_t table[8][256];
static uint32_t long_shift[4][256];
static uint32_t short_shift[4][256];

// MARK: Tables

static uint32_t times(const uint32_t matrix[32], uint32_t vector) {
  uint32_t sum = 0;
  for (int bit = 0; vector != 0; bit++, vector >>= 1) {
    if (vector & 1) {
      sum ^= matrix[bit];
    }
  }
  return sum;
}

/// Fills the tables that append `zero_count` zero bytes, a power of two, by repeated squaring.
static void make_shift(uint32_t shift[4][256], size_t zero_count) {
  uint32_t matrix[32];
  for (int bit = 0; bit < 32; bit++) {
    const uint32_t unit = (uint32_t)1 << bit;
    matrix[bit] = (unit >> 8) ^ table[0][unit & 0xff];
  }
  for (size_t count = 1; count < zero_count; count *= 2) {
    uint32_t square[32];
    for (int bit = 0; bit < 32; bit++) {
      square[bit] = times(matrix, matrix[bit]);
    }
    memcpy(matrix, square, sizeof matrix);
  }
  for (int byte = 0; byte < 4; byte++) {
    for (uint32_t value = 0; value < 256; value++) {
      shift[byte][value] = times(matrix, value << (8 * byte));
    }
  }
}

static void make_tables(void) {
  for (uint32_t value = 0; value < 256; value++) {
    uint32_t crc = value;
    for (int bit = 0; bit < 8; bit++) {
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78u : 0);
    }
    table[0][value] = crc;
  }
  for (int slice = 1; slice < 8; slice++) {
    for (int value = 0; value < 256; value++) {
      const uint32_t before = table[slice - 1][value];
      table[slice][value] = (before >> 8) ^ table[0][before & 0xff];
    }
  }
  make_shift(long_shift, long_lane);
  make_shift(short_shift, short_lane);
}

// MARK: Paths

typedef uint32_t (*crc_function)(uint32_t crc, const uint8_t *bytes, size_t count);

static uint32_t crc_table(uint32_t crc, const uint8_t *bytes, size_t count) {
  crc = ~crc;
  while (count >= 8) {
    const uint32_t low = crc
      ^ ((uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16
        | (uint32_t)bytes[3] << 24);
    crc = table[7][low & 0xff] ^ table[6][(low >> 8) & 0xff] ^ table[5][(low >> 16) & 0xff]
      ^ table[4][low >> 24] ^ table[3][bytes[4]] ^ table[2][bytes[5]] ^ table[1][bytes[6]]
      ^ table[0][bytes[7]];
    bytes += 8;
    count -= 8;
  }
  while (count > 0) {
    crc = (crc >> 8) ^ table[0][(crc ^ *bytes) & 0xff];
    bytes += 1;
    count -= 1;
  }
  return ~crc;
}

#if defined(HARDWARE_TARGET)

static inline uint64_t load(const uint8_t *bytes) {
  uint64_t word;
  memcpy(&word, bytes, sizeof word);
  return word;
}

static inline uint64_t shifted(const uint32_t shift[4][256], uint64_t crc) {
  return shift[0][crc & 0xff] ^ shift[1][(crc >> 8) & 0xff] ^ shift[2][(crc >> 16) & 0xff]
    ^ shift[3][(crc >> 24) & 0xff];
}

/// Three lanes of `lane` bytes each, one after the other in memory.
HARDWARE_TARGET static inline uint64_t three_lanes(
  uint64_t first, const uint8_t *bytes, size_t lane, const uint32_t shift[4][256]
) {
  uint64_t second = 0;
  uint64_t third = 0;
  for (size_t at = 0; at < lane; at += 8) {
    first = STEP_8(first, load(bytes + at));
    second = STEP_8(second, load(bytes + lane + at));
    third = STEP_8(third, load(bytes + 2 * lane + at));
  }
  return shifted(shift, shifted(shift, first) ^ second) ^ third;
}

HARDWARE_TARGET static uint32_t crc_hardware(uint32_t start, const uint8_t *bytes, size_t count) {
  uint64_t crc = (uint32_t)~start;
  while (count >= 3 * long_lane) {
    crc = three_lanes(crc, bytes, long_lane, long_shift);
    bytes += 3 * long_lane;
    count -= 3 * long_lane;
  }
  while (count >= 3 * short_lane) {
    crc = three_lanes(crc, bytes, short_lane, short_shift);
    bytes += 3 * short_lane;
    count -= 3 * short_lane;
  }
  while (count >= 8) {
    crc = STEP_8(crc, load(bytes));
    bytes += 8;
    count -= 8;
  }
  while (count > 0) {
    crc = STEP_1(crc, *bytes);
    bytes += 1;
    count -= 1;
  }
  return (uint32_t)~crc;
}

#endif

// MARK: Dispatch

static bool has_instruction(void) {
#if defined(__x86_64__)
  return __builtin_cpu_supports("sse4.2") != 0;
#elif defined(HARDWARE_TARGET) && defined(__APPLE__)
  int value = 0;
  size_t size = sizeof value;
  return sysctlbyname("hw.optional.armv8_crc32", &value, &size, NULL, 0) == 0 && value != 0;
#elif defined(HARDWARE_TARGET)
  return (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0;
#else
  return false;
#endif
}

static crc_function function_at(ef_crc32c_level level) {
#if defined(HARDWARE_TARGET)
  if (level == EF_CRC32C_HARDWARE && has_instruction()) {
    return crc_hardware;
  }
#endif
  (void)level;
  return crc_table;
}

ef_crc32c_level ef_crc32c_selected(void) {
  const char *forced = getenv("EMBEDDING_KERNEL_LEVEL");
  if (forced != NULL && strcmp(forced, "scalar") == 0) {
    return EF_CRC32C_TABLE;
  }
  return has_instruction() ? EF_CRC32C_HARDWARE : EF_CRC32C_TABLE;
}

bool ef_crc32c_is_available(ef_crc32c_level level) {
  return level == EF_CRC32C_TABLE || has_instruction();
}

/// Set once the tables are complete, so that finding it implies them.
static _Atomic(crc_function) selected_function;

static void select_function(void) {
  make_tables();
  atomic_store_explicit(
    &selected_function, function_at(ef_crc32c_selected()), memory_order_release);
}

static crc_function selected(void) {
  crc_function function = atomic_load_explicit(&selected_function, memory_order_acquire);
  if (function == NULL) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, select_function);
    function = atomic_load_explicit(&selected_function, memory_order_acquire);
  }
  return function;
}

uint32_t ef_crc32c(uint32_t crc, const void *bytes, size_t byte_count) {
  return selected()(crc, bytes, byte_count);
}

uint32_t ef_crc32c_at(
  ef_crc32c_level level, uint32_t crc, const void *bytes, size_t byte_count
) {
  (void)selected();
  return function_at(level)(crc, bytes, byte_count);
}
