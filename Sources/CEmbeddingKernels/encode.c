// Writing codes: done once a row at compaction, so plain C will do. Where the results are bounds,
// they are in doubles.

#include <math.h>

#include "levels.h"

enum { components_per_unit = 32 };

float ek_largest_component(const float *components, const float *units, size_t width) {
  float largest = 0;
  for (size_t i = 0; i < width; i += components_per_unit) {
    float here = 0;
    for (size_t j = i; j < i + components_per_unit; j++) {
      float magnitude = fabsf(components[j]);
      here = magnitude > here ? magnitude : here;
    }
    here /= units[i / components_per_unit];
    largest = here > largest ? here : largest;
  }
  return largest;
}

struct ek_coding_errors ek_code_components(
  const float *components, const float *units, size_t width, double scale, uint8_t *codes
) {
  struct ek_coding_errors errors = {0, 0, 0, 0};
  for (size_t i = 0; i < width; i += components_per_unit) {
    double step = (double)units[i / components_per_unit] * scale;
    float inverse = step > 1e-30 ? (float)(1 / step) : 0;
    double high = 0, full = 0, high_norm = 0, full_norm = 0;
    for (size_t j = i; j < i + components_per_unit; j++) {
      float level = components[j] * inverse + 128;
      int code = level > 0 ? (int)(level < 255 ? level : 255) : 0;  // 0 for what is not a number.
      codes[j] = (uint8_t)code;
      double at = (double)code - 127.5, coarse = (double)(code >> 4) * 16 - 120;
      double value = (double)components[j];
      double difference = value - step * at, coarse_difference = value - step * coarse;
      full += difference * difference;
      high += coarse_difference * coarse_difference;
      full_norm += at * at;
      high_norm += coarse * coarse;
    }
    errors.high += high;
    errors.full += full;
    errors.high_norm += high_norm * scale * scale;
    errors.full_norm += full_norm * scale * scale;
  }
  return errors;
}

void ek_pack_nibbles(const uint8_t *codes, size_t width, int high, uint8_t *packed) {
  int shift = high ? 4 : 0;
  for (size_t i = 0; i < width / 2; i++) {
    packed[i] = (uint8_t)((codes[i] >> shift & 15) | (codes[width / 2 + i] >> shift & 15) << 4);
  }
}

void ek_subtract_projection(
  const float *row, const float *direction, double projection, size_t count, double *difference
) {
  for (size_t i = 0; i < count; i++) {
    difference[i] = (double)row[i] - projection * (double)direction[i];
  }
}

double ek_dot_f32_f64(const float *left, const float *right, size_t count) {
  double lanes[8] = {0};
  for (size_t i = 0; i < count; i++) lanes[i % 8] += (double)left[i] * (double)right[i];
  double sum = 0;
  for (size_t lane = 0; lane < 8; lane++) sum += lanes[lane];
  return sum;
}
