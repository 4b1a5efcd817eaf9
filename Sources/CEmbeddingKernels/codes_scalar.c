// The routines on codes that define what every other level returns.

#include "codes.h"

#define EK_LEVEL_NAME(name) name##_scalar

static int32_t nibble_dot(const uint8_t *packed, const int8_t *query, size_t width) {
  int32_t sum = 0;
  for (size_t i = 0; i < width / 2; i++) {
    sum += (packed[i] & 15) * query[i] + (packed[i] >> 4) * query[width / 2 + i];
  }
  return sum;
}

static size_t ek_scan_scalar(
  const uint8_t *groups, size_t row_count, const struct ek_code_scan *scan, float threshold,
  const uint64_t *allowed, uint32_t first_row, struct ek_code_list found
) {
  const struct ek_code_segment *segment = &scan->segment;
  size_t width = segment->width, count = 0;
  for (size_t row = 0; row < row_count; row++) {
    size_t lane = row % ek_code_group_rows;
    if (!(ek_allowed_rows(allowed, row - lane, row_count) >> lane & 1)) continue;
    const uint8_t *group = groups + row / ek_code_group_rows * ek_code_group_bytes(width);
    const uint8_t *bytes = group + width / 8 * ek_code_line_bytes + lane;
    int32_t sum = 0;
    for (size_t t = 0; t < width / 8; t++) {
      for (size_t j = 0; j < 4; j++) {
        uint8_t code = group[t * ek_code_line_bytes + 4 * lane + j];
        sum += (code & 15) * segment->query[4 * t + j];
        sum += (code >> 4) * segment->query[width / 2 + 4 * t + j];
      }
    }
    float estimate = ek_add_segment(
      fmaf(scan->projection, (float)bytes[0], scan->base), segment, sum, bytes[16]);
    float bound = ek_bound(estimate, &scan->bound, bytes[32], bytes[48]);
    found.rows[count] = first_row + (uint32_t)row;
    found.bounds[count] = bound;
    found.estimates[count] = estimate;
    count += !(bound < threshold);
  }
  return count;
}

size_t ek_count_reaching(const float *bounds, size_t count, float threshold) {
  size_t below = 0;
  for (size_t i = 0; i < count; i++) below += bounds[i] < threshold;
  return count - below;
}

float ek_bound_reached_by(const float *bounds, size_t count, size_t wanted) {
  enum { bucket_count = 512, sample_count = 1024 };
  if (wanted >= count) return -INFINITY;
  size_t step = count / sample_count > 0 ? count / sample_count : 1;
  float smallest = bounds[0], largest = bounds[0];
  for (size_t i = 0; i < count; i += step) {
    smallest = bounds[i] < smallest ? bounds[i] : smallest;
    largest = bounds[i] > largest ? bounds[i] : largest;
  }
  float scale = (bucket_count - 1) / (largest - smallest);
  // Bounds that are all equal, or not finite, have no order to make use of.
  if (!(scale > 0 && scale <= 3e38f)) return -INFINITY;
  uint32_t buckets[bucket_count] = {0};
  for (size_t i = 0; i < count; i += step) {
    float place = (bounds[i] - smallest) * scale;
    // A bound that is not a number counts as large.
    buckets[place >= 0 && place < bucket_count - 1 ? (size_t)place : bucket_count - 1]++;
  }
  size_t sampled_wanted = (wanted + step - 1) / step, reached = 0, bucket = bucket_count;
  while (bucket > 0 && reached < sampled_wanted) reached += buckets[--bucket];
  // A little lower, so that rounding puts no row of the bucket below it.
  return bucket == 0 ? -INFINITY : smallest + ((float)bucket - 0.01f) / scale;
}

static size_t EK_LEVEL_NAME(ek_refine)(
  const uint8_t *records, const struct ek_code_refinement *stage, float threshold,
  uint32_t first_row, struct ek_code_list list, size_t count
) {
  return ek_refine(records, stage, threshold, first_row, list, count, nibble_dot);
}

#include "codes_table.h"
