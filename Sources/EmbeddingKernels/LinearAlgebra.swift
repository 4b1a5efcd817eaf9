// The system's BLAS and LAPACK. Matrices are row-major; the library decides on the order of
// summation. Without one, plain loops stand in for the products.

#if canImport(Accelerate)
  import CEmbeddingKernels
#elseif canImport(CEmbeddingBLAS)
  import CEmbeddingBLAS
  import Synchronization

  /// Serialises calls where the library at hand needs it; nil where they may overlap.
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

  private func locked(_ work: () -> Void) {
    guard let productLock else { return work() }
    productLock.mutex.withLock { _ in work() }
  }
#endif

/// products[i][j] = Σ left[i][t] · right[j][t], or += when `adding`: `depth` floats a row on both
/// sides, `productStride` floats from one row of products to the next.
func multiplyTransposed(
  left: UnsafePointer<Float>, leftCount: Int, right: UnsafePointer<Float>, rightCount: Int,
  depth: Int, adding: Bool = false, products: UnsafeMutablePointer<Float>, productStride: Int
) {
  #if canImport(Accelerate)
    let multiply = adding ? ek_matrix_product_adding_f32 : ek_matrix_product_f32
    multiply(left, leftCount, right, rightCount, depth, products, productStride)
  #elseif canImport(CEmbeddingBLAS)
    locked {
      cblas_sgemm(
        CblasRowMajor, CblasNoTrans, CblasTrans, .init(leftCount), .init(rightCount),
        .init(depth), 1, left, .init(depth), right, .init(depth), adding ? 1 : 0, products,
        .init(productStride))
    }
  #else
    for i in 0..<leftCount {
      for j in 0..<rightCount {
        var sum: Float = adding ? products[i * productStride + j] : 0
        for t in 0..<depth { sum += left[i * depth + t] * right[j * depth + t] }
        products[i * productStride + j] = sum
      }
    }
  #endif
}

/// The same in Float64.
func multiplyTransposed(
  left: UnsafePointer<Double>, leftCount: Int, right: UnsafePointer<Double>, rightCount: Int,
  depth: Int, products: UnsafeMutablePointer<Double>, productStride: Int
) {
  #if canImport(Accelerate)
    ek_matrix_product_f64(left, leftCount, right, rightCount, depth, products, productStride)
  #elseif canImport(CEmbeddingBLAS)
    locked {
      cblas_dgemm(
        CblasRowMajor, CblasNoTrans, CblasTrans, .init(leftCount), .init(rightCount),
        .init(depth), 1, left, .init(depth), right, .init(depth), 0, products,
        .init(productStride))
    }
  #else
    for i in 0..<leftCount {
      for j in 0..<rightCount {
        products[i * productStride + j] = (0..<depth).reduce(0) {
          $0 + left[i * depth + $1] * right[j * depth + $1]
        }
      }
    }
  #endif
}

/// Replaces a symmetric matrix by its eigenvectors, one a row, and returns their eigenvalues, both
/// ascending; nil when there is no LAPACK or it found none.
func replaceByEigenvectors(_ matrix: LargeBuffer<Double>, dimension: Int) -> [Double]? {
  var values = [Double](repeating: 0, count: dimension)
  #if canImport(Accelerate)
    guard ek_symmetric_eigenvectors(matrix.base, dimension, &values) == 0 else { return nil }
    return values
  #elseif canImport(CEmbeddingBLAS)
    var order = CInt(dimension)
    var status: CInt = 0
    // The first call asks for the room that the second one needs.
    var (size, integerSize): (CInt, CInt) = (-1, -1)
    var work = LargeBuffer<Double>(count: 1)
    var integers: [CInt] = [0]
    for _ in 0..<2 {
      withExtendedLifetime((matrix, work)) {
        locked {
          dsyevd_(
            "V", "U", &order, matrix.base, &order, &values, work.base, &size, &integers,
            &integerSize, &status)
        }
      }
      guard status == 0, let bestInteger = integers.first else { return nil }
      if size > 0 { break }
      (size, integerSize) = (CInt(work.base.pointee), bestInteger)
      work = LargeBuffer(count: Int(size))
      integers = [CInt](repeating: 0, count: Int(integerSize))
    }
    return values
  #else
    return nil
  #endif
}
