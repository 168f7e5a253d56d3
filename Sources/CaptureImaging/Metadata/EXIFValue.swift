/// A value in EXIF, with its type in TIFF.
package enum EXIFValue: Hashable, Sendable {
  case bytes([UInt8])
  /// Text, which is written with the zero that ends it.
  case text(String)
  case short(UInt16)
  case shorts([UInt16])
  case long(UInt32)
  case rationals([Rational])
  case signedRational(Int32, Int32)
  /// The numerators of signed rational numbers whose denominator is 10,000.
  case tenThousandths([Int32])
  case undefined([UInt8])

  /// A fraction of two unsigned numbers.
  package struct Rational: Hashable, Sendable {
    var numerator: UInt32
    var denominator: UInt32

    package init(_ numerator: UInt32, _ denominator: UInt32) {
      (self.numerator, self.denominator) = (numerator, denominator)
    }
  }

  /// The number of the type in TIFF.
  var type: UInt16 {
    switch self {
    case .bytes: 1
    case .text: 2
    case .short, .shorts: 3
    case .long: 4
    case .rationals: 5
    case .undefined: 7
    case .signedRational, .tenThousandths: 10
    }
  }

  /// How many values there are; for text, its bytes.
  var count: Int {
    switch self {
    case .bytes(let bytes), .undefined(let bytes): bytes.count
    case .text(let text): text.utf8.count + 1
    case .short, .long, .signedRational: 1
    case .rationals(let values): values.count
    case .shorts(let values): values.count
    case .tenThousandths(let values): values.count
    }
  }

  /// The value's bytes, the most significant first.
  var bytes: [UInt8] {
    switch self {
    case .bytes(let bytes), .undefined(let bytes): bytes
    case .text(let text): text.utf8 + [0]
    case .short(let value): value.bigEndianBytes
    case .long(let value): value.bigEndianBytes
    case .rationals(let values):
      values.flatMap { $0.numerator.bigEndianBytes + $0.denominator.bigEndianBytes }
    case .shorts(let values): values.flatMap(\.bigEndianBytes)
    case .tenThousandths(let values): values.flatMap { $0.bigEndianBytes + Int32(10_000).bigEndianBytes }
    case .signedRational(let numerator, let denominator):
      numerator.bigEndianBytes + denominator.bigEndianBytes
    }
  }
}

extension EXIFValue {
  /// An unsigned rational number: 1 over a whole number if `value` is such a fraction; otherwise in millionths below 4,000, and a whole number from
  /// there on. `nil`: the value is negative or too large for EXIF.
  package init?(_ value: Double) {
    guard value >= 0, value <= Double(UInt32.max) else { return nil }
    let inverse = (1 / value).rounded()
    if value < 1, inverse <= Double(UInt32.max), abs(inverse * value - 1) < 1e-6 {
      self = .rationals([Rational(1, UInt32(inverse))])
      return
    }
    let scale: UInt32 = value < 4000 ? 1_000_000 : 1
    let numerator = UInt32((value * Double(scale)).rounded())
    let divisor = greatestCommonDivisor(numerator, scale)
    self = .rationals([Rational(numerator / divisor, scale / divisor)])
  }

  /// A signed rational number in thousandths; `nil`: the value is beyond 2,000,000 in either direction.
  package init?(signed value: Double) {
    guard abs(value) <= 2e6 else { return nil }
    let numerator = Int32((value * 1000).rounded())
    let divisor = Int32(greatestCommonDivisor(numerator.magnitude, 1000))
    self = .signedRational(numerator / divisor, 1000 / divisor)
  }
}

private func greatestCommonDivisor(_ a: UInt32, _ b: UInt32) -> UInt32 {
  b == 0 ? max(a, 1) : greatestCommonDivisor(b, a % b)
}

extension FixedWidthInteger {
  var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}
