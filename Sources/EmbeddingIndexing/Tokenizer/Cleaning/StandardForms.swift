internal import Foundation

/// The usual form of scalars that are a legacy form of others: Latin ligatures, wide and narrow
/// forms, curly quotation marks, rare line breaks, and controls that Windows uses for characters.
enum StandardForms {
  /// What to write instead of a scalar, or nil when nothing.
  static func standardForm(of scalar: Unicode.Scalar) -> String? {
    switch scalar.value {
    case 0x00...0x7f:
      scalar == "\r" ? "\n" : nil
    case 0x80...0x9f:
      fromWindows1252(scalar)
    case 0x132...0x1f3, 0xfb00...0xfb06:
      ligature(scalar)
    case 0x2bc, 0x2018...0x201b:
      "'"
    case 0x201c...0x201f:
      "\""
    case 0x2028, 0x2029:
      "\n"
    case 0x3000:
      " "
    case 0xff01...0xff5e:
      Unicode.Scalar(scalar.value - 0xfee0).map { String($0) }
    case 0xff5f...0xffef:
      otherWidth(scalar)
    default:
      nil
    }
  }

  /// The character of a byte from 0x80 to 0x9f in Windows' Western encoding, for the control
  /// character of that number; nil for the five bytes that have none.
  static func fromWindows1252(_ scalar: Unicode.Scalar) -> String? {
    guard let index = Int(exactly: scalar.value).map({ $0 - 0x80 }),
      windows1252.indices.contains(index), windows1252[index] != "\u{fffd}"
    else { return nil }
    return String(windows1252[index])
  }

  private static let windows1252 = Array(
    "€�‚ƒ„…†‡ˆ‰Š‹Œ�Ž��‘’“”•–—˜™š›œ�žŸ".unicodeScalars)

  private static func ligature(_ scalar: Unicode.Scalar) -> String? {
    switch scalar {
    case "\u{132}": "IJ"
    case "\u{133}": "ij"
    case "\u{149}": "\u{2bc}n"
    case "\u{1c4}": "D\u{17d}"
    case "\u{1c5}": "D\u{17e}"
    case "\u{1c6}": "d\u{17e}"
    case "\u{1c7}": "LJ"
    case "\u{1c8}": "Lj"
    case "\u{1c9}": "lj"
    case "\u{1ca}": "NJ"
    case "\u{1cb}": "Nj"
    case "\u{1cc}": "nj"
    case "\u{1f1}": "DZ"
    case "\u{1f2}": "Dz"
    case "\u{1f3}": "dz"
    case "\u{fb00}": "ff"
    case "\u{fb01}": "fi"
    case "\u{fb02}": "fl"
    case "\u{fb03}": "ffi"
    case "\u{fb04}": "ffl"
    case "\u{fb05}": "\u{17f}t"
    case "\u{fb06}": "st"
    default: nil
    }
  }

  private static func otherWidth(_ scalar: Unicode.Scalar) -> String? {
    let narrow = String(scalar)
    let usual = narrow.precomposedStringWithCompatibilityMapping
    return usual.unicodeScalars.elementsEqual(narrow.unicodeScalars) ? nil : usual
  }
}
