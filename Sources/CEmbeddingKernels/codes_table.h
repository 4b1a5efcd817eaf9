// The table of a level that refines, copies and keeps row by row. The including file has defined
// `EK_LEVEL_NAME(name)`, `EK_LEVEL_NAME(ek_scan)` and `nibble_dot`.

static size_t EK_LEVEL_NAME(ek_refine)(
  const uint8_t *records, const struct ek_code_refinement *stage, float threshold,
  uint32_t first_row, struct ek_code_list list, size_t count
) {
  return ek_refine(records, stage, threshold, first_row, list, count, nibble_dot);
}

static size_t EK_LEVEL_NAME(ek_copy)(
  struct ek_code_list list, size_t count, float threshold, struct ek_code_list other
) {
  return ek_copy(list, count, threshold, other);
}

static size_t EK_LEVEL_NAME(ek_keep)(
  struct ek_code_list list, size_t count, float threshold, float ceiling
) {
  return ek_keep(list, count, threshold, ceiling);
}

const struct ek_code_kernels EK_LEVEL_NAME(ek_code_table) = {
  .scan = EK_LEVEL_NAME(ek_scan),
  .refine = EK_LEVEL_NAME(ek_refine),
  .copy = EK_LEVEL_NAME(ek_copy),
  .keep = EK_LEVEL_NAME(ek_keep),
};
