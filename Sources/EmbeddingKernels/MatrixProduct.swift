#if canImport(Accelerate)
  import CEmbeddingKernels
#elseif canImport(CEmbeddingBLAS)
  import CEmbeddingBLAS
  import Synchronization

  /// Serialises products where the library at hand needs it; nil where calls may overlap.
  ///
  /// An OpenBLAS built for one thread without USE_LOCKING, as Debian's serial one is, may hand two
  /// callers the same packing buffer and return wrong products (OpenBLAS issues 1755 and 2126). One
  /// built for threads is safe to call from several, but would start as many again inside each
  /// call; the scan has its own threads, so it is told to use one. That holds for the process.
  private let productLock: ProductLock? = {
    if openblas_get_parallel() == 0 { return ProductLock() }
    openblas_set_num_threads(1)
    return nil
  }()

  private final class ProductLock: Sendable {
    let mutex = Mutex(())
  }
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
    let multiply = {
      cblas_sgemm(
        CblasRowMajor, CblasNoTrans, CblasTrans, .init(leftCount), .init(rightCount),
        .init(depth), 1, left, .init(depth), right, .init(depth), 0, products,
        .init(productStride))
    }
    if let productLock {
      productLock.mutex.withLock { _ in multiply() }
    } else {
      multiply()
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
