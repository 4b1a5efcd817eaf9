extension NumPyHeader {
  /// What the dictionary says, when it is that of rows of floating-point numbers.
  static func description(
    _ literal: PythonLiteral
  ) throws(NumPyDefect) -> (ElementFormat, rowCount: Int, dimension: Int) {
    guard case .dictionary(let entries) = literal,
      Set(entries.keys) == ["descr", "fortran_order", "shape"]
    else { throw .malformed("its header is not a dictionary of descr, fortran_order and shape") }
    let format = try elementFormat(entries["descr"])
    guard case .boolean(let isFortranOrder)? = entries["fortran_order"] else {
      throw .malformed("fortran_order is neither True nor False")
    }
    guard case .tuple(let sizes)? = entries["shape"] else {
      throw .malformed("its shape is not a tuple")
    }
    var shape: [Int] = []
    for size in sizes {
      guard case .integer(let size) = size else { throw .malformed("its shape has no numbers") }
      shape.append(size)
    }
    guard shape.count == 2 else {
      throw .unsupported(
        "The array has \(shape.count) dimensions; vectors are the rows of an array of two. Save "
          + "array.reshape(rows, dimension).")
    }
    guard shape[1] > 0 else { throw .unsupported("The array's rows have no components.") }
    guard !isFortranOrder else {
      throw .unsupported(
        "The array is in Fortran order, column after column. Save "
          + "numpy.ascontiguousarray(array).")
    }
    return (format, shape[0], shape[1])
  }

  private static func elementFormat(
    _ description: PythonLiteral?
  ) throws(NumPyDefect) -> ElementFormat {
    if case .list? = description {
      throw .unsupported("The array has named fields. Save the field of the vectors alone.")
    }
    guard case .string(let name)? = description else {
      throw .malformed("its descr is not a string")
    }
    switch name {
    case "<f2": return .float16
    case "<f4": return .float32
    case "<f8": return .float64
    case ">f2", ">f4", ">f8":
      throw .unsupported(
        "The array is big-endian (\(name)). Save array.astype(\"<\(name.dropFirst())\").")
    case "|O":
      throw .unsupported(
        "The array holds Python objects, which only Python can read. Save "
          + "numpy.stack(array).astype(\"<f4\").")
    default:
      throw .unsupported(
        "The array has elements of type \"\(name.prefix(40))\", and float16, float32 and float64 are "
          + "read. Save array.astype(\"<f4\").")
    }
  }
}
