// Rotating a query. OpenBLAS chooses its routines by the names of processors, and takes those of
// 2005 for one that it does not know; this one does about as well as memory lets any.

#include "levels.h"

typedef float quadruple __attribute__((vector_size(16)));

void ek_products_f32(
  const float *rows, size_t row_count, const float *vector, size_t dimension, float *products
) {
#pragma clang fp contract(off)  // The same bits everywhere.
  enum { width = 4, lanes = 8 * width };
  for (size_t i = 0; i < row_count; i++) {
    const float *row = rows + i * dimension;
    quadruple sums[8] = {0};
    size_t j = 0;
    for (; j + lanes <= dimension; j += lanes) {
      for (size_t g = 0; g < 8; g++) {
        quadruple left, right;
        memcpy(&left, row + j + width * g, sizeof left);
        memcpy(&right, vector + j + width * g, sizeof right);
        sums[g] += left * right;
      }
    }
    for (size_t half = 4; half > 0; half /= 2) {
      for (size_t g = 0; g < half; g++) sums[g] += sums[g + half];
    }
    float sum = (sums[0][0] + sums[0][2]) + (sums[0][1] + sums[0][3]);
    for (; j < dimension; j++) sum += row[j] * vector[j];
    products[i] = sum;
  }
}
