internal import EmbeddingFiles

/// A dictionary that `NSKeyedArchiver` wrote: a property list whose objects refer to each other by
/// number.
struct KeyedArchive {
  private let list: BinaryPropertyList
  private let objects: [Int]
  /// The numbers of the dictionary's keys and values, in pairs.
  private(set) var entries: [(key: Int, value: Int)] = []

  /// Why a file is no archive of vectors.
  struct Defect: Error {
    let reason: String
  }

  init(_ bytes: [UInt8]) throws(Defect) {
    guard let list = BinaryPropertyList(bytes) else {
      throw Defect(reason: "it is no binary property list")
    }
    guard
      Self.value("$archiver", of: list.top, in: list).flatMap(list.object)
        == .string("NSKeyedArchiver"),
      case .array(let objects)? = Self.value("$objects", of: list.top, in: list).flatMap(
        list.object),
      let roots = Self.value("$top", of: list.top, in: list),
      case .identifier(let root)? = Self.value("root", of: roots, in: list).flatMap(list.object),
      objects.indices.contains(root)
    else { throw Defect(reason: "its property list is no keyed archive") }
    (self.list, self.objects) = (list, objects)
    let name = className(root)
    guard let name, ["NSDictionary", "NSMutableDictionary"].contains(name),
      let keys = members("NS.keys", of: root), let values = members("NS.objects", of: root),
      keys.count == values.count
    else { throw Defect(reason: "it holds \(name ?? "something else") and not a dictionary") }
    entries = Array(zip(keys, values).map { (key: $0, value: $1) })
  }

  /// The string with a number.
  func string(_ number: Int) -> String? {
    switch object(number) {
    case .string(let string): return string
    case .dictionary:
      guard className(number) == "NSMutableString" else { return nil }
      guard case .string(let string)? = field("NS.string", of: number) else { return nil }
      return string
    default: return nil
    }
  }

  /// The vector with a number: a list of numbers, or Float32 components as data; at most
  /// `maximumCount` of them.
  func vector(_ number: Int, maximumCount: Int) -> [Float]? {
    if case .data(let range)? = object(number) ?? nil { return vector(range, maximumCount) }
    switch className(number) {
    case "NSData", "NSMutableData":
      guard case .data(let range)? = field("NS.data", of: number) else { return nil }
      return vector(range, maximumCount)
    case "NSArray", "NSMutableArray":
      guard let members = members("NS.objects", of: number), members.count <= maximumCount else {
        return nil
      }
      var vector: [Float] = []
      for member in members {
        switch object(member) {
        case .real(let component): vector.append(Float(component))
        case .integer(let component): vector.append(Float(component))
        default: return nil
        }
      }
      return vector
    default: return nil
    }
  }

  private func vector(_ range: Range<Int>, _ maximumCount: Int) -> [Float]? {
    guard range.count % 4 == 0, range.count / 4 <= maximumCount else { return nil }
    return list.bytes.withRawSpan { ElementFormat.float32.decoded($0.extracting(range)) }
  }

  /// The name of an object's class.
  func className(_ number: Int) -> String? {
    guard case .identifier(let description)? = field("$class", of: number),
      case .string(let name)? = field("$classname", of: description)
    else { return nil }
    return name
  }

  private func members(_ name: String, of number: Int) -> [Int]? {
    guard case .array(let references)? = field(name, of: number) else { return nil }
    var members: [Int] = []
    for reference in references {
      guard case .identifier(let member)? = list.object(reference) else { return nil }
      members.append(member)
    }
    return members
  }

  private func object(_ number: Int) -> BinaryPropertyList.Object? {
    objects.indices.contains(number) ? list.object(objects[number]) : nil
  }

  private func field(_ name: String, of number: Int) -> BinaryPropertyList.Object? {
    guard objects.indices.contains(number) else { return nil }
    return Self.value(name, of: objects[number], in: list).flatMap(list.object)
  }

  /// The reference to a named value of the dictionary that a reference means.
  private static func value(
    _ name: String, of reference: Int, in list: BinaryPropertyList
  ) -> Int? {
    guard case .dictionary(let names, let values)? = list.object(reference) else { return nil }
    return zip(names, values).first { list.object($0.0) == .string(name) }?.1
  }
}
