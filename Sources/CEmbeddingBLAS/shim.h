#include <cblas.h>

/// Eigenvalues and eigenvectors of a symmetric matrix (LAPACK). Debian's package for BLAS has the
/// routine in its library and its declaration in none of its headers.
void dsyevd_(
  const char *vectors, const char *triangle, const int *n, double *matrix, const int *stride,
  double *eigenvalues, double *work, const int *work_size, int *integer_work,
  const int *integer_work_size, int *info);
