// Apple's matrix product. Called from C because Swift sees only the deprecated form of cblas_sgemm:
// the current one needs ACCELERATE_NEW_LAPACK, which the package defines for this target.

#include "CEmbeddingKernels.h"

#if defined(__APPLE__)

#include <Accelerate/Accelerate.h>

void ek_matrix_product_f32(
  const float *left, size_t left_count, const float *right, size_t right_count, size_t depth,
  float *products, size_t product_stride
) {
  cblas_sgemm(
    CblasRowMajor, CblasNoTrans, CblasTrans, (int)left_count, (int)right_count, (int)depth, 1,
    left, (int)depth, right, (int)depth, 0, products, (int)product_stride);
}

#endif
