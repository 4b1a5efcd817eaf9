#if canImport(Accelerate)
  import CEmbeddingKernels
#elseif canImport(CEmbeddingBLAS)
  import CEmbeddingBLAS
  import Synchronization

  /// One product at a time: two calls into a serial OpenBLAS built without USE_LOCKING, as
  /// Debian's is, may be handed the same packing buffer and return wrong products (OpenBLAS issues
  /// 1755 and 2126).
  private let productLock = Mutex(())
#endif

/// products[i][j] = Σ left[i][t] · right[j][t]: row-major, `depth` floats a row on both sides,
/// `productStride` floats from one row of products to the next.
///
/// The system's BLAS decides on the order of summation.
func multiplyTransposed(
  left: UnsafePointer<Float>, leftCount: Int, right: UnsafePointer<Float>, rightCount: Int,
  depth: Int, products: UnsafeMutablePointer<Float>, productStride: Int
) {
  #if canImport(Accelerate)
    ek_matrix_product_f32(left, leftCount, right, rightCount, depth, products, productStride)
  #elseif canImport(CEmbeddingBLAS)
    productLock.withLock { _ in
      cblas_sgemm(
        CblasRowMajor, CblasNoTrans, CblasTrans, .init(leftCount), .init(rightCount),
        .init(depth), 1, left, .init(depth), right, .init(depth), 0, products,
        .init(productStride))
    }
  #else
    for i in 0..<leftCount {
      for j in 0..<rightCount {
        var sum: Float = 0
        for t in 0..<depth { sum += left[i * depth + t] * right[j * depth + t] }
        products[i * productStride + j] = sum
      }
    }
  #endif
}
