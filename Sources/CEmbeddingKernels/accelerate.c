// Apple's linear algebra. Called from C because Swift sees only the deprecated forms: the current
// ones need ACCELERATE_NEW_LAPACK, which the package defines for this target.

#include "CEmbeddingKernels.h"

#if defined(__APPLE__)

#include <Accelerate/Accelerate.h>
#include <stdlib.h>

void ek_matrix_product_f32(
  const float *left, size_t left_count, const float *right, size_t right_count, size_t depth,
  float *products, size_t product_stride
) {
  cblas_sgemm(
    CblasRowMajor, CblasNoTrans, CblasTrans, (int)left_count, (int)right_count, (int)depth, 1,
    left, (int)depth, right, (int)depth, 0, products, (int)product_stride);
}

void ek_matrix_product_adding_f32(
  const float *left, size_t left_count, const float *right, size_t right_count, size_t depth,
  float *products, size_t product_stride
) {
  cblas_sgemm(
    CblasRowMajor, CblasNoTrans, CblasTrans, (int)left_count, (int)right_count, (int)depth, 1,
    left, (int)depth, right, (int)depth, 1, products, (int)product_stride);
}

void ek_matrix_product_f64(
  const double *left, size_t left_count, const double *right, size_t right_count, size_t depth,
  double *products, size_t product_stride
) {
  cblas_dgemm(
    CblasRowMajor, CblasNoTrans, CblasTrans, (int)left_count, (int)right_count, (int)depth, 1,
    left, (int)depth, right, (int)depth, 0, products, (int)product_stride);
}

int ek_symmetric_eigenvectors(double *matrix, size_t dimension, double *eigenvalues) {
  char vectors = 'V', upper = 'U';
  __LAPACK_int n = (__LAPACK_int)dimension, size = -1, integer_size = -1, info = 0;
  __LAPACK_int best_integer_size = 0;
  double best_size = 0;
  dsyevd_(
    &vectors, &upper, &n, matrix, &n, eigenvalues, &best_size, &size, &best_integer_size,
    &integer_size, &info);
  if (info != 0) return (int)info;
  size = (__LAPACK_int)best_size;
  integer_size = best_integer_size;
  double *work = malloc((size_t)size * sizeof *work);
  __LAPACK_int *integers = malloc((size_t)integer_size * sizeof *integers);
  info = -1;
  if (work && integers) {
    dsyevd_(
      &vectors, &upper, &n, matrix, &n, eigenvalues, work, &size, integers, &integer_size, &info);
  }
  free(work);
  free(integers);
  return (int)info;
}

#endif
