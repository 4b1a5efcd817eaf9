// The table of a level that copies and keeps row by row. The including file has defined
// `EK_LEVEL_NAME(name)`, `EK_LEVEL_NAME(ek_scan)` and `EK_LEVEL_NAME(ek_refine)`.

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
