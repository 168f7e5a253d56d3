/// A scan of a JPEG whose blocks have one colour each: of a block's coefficients only the first is not 0.
struct FlatScan {
  enum Tables { case luminance, chrominance }

  private var bits = Bits()
  private var last = [0, 0, 0]

  /// `step`: the first of the component's quantization table.
  mutating func append(_ sample: Double, of component: Int, step: Int, _ tables: Tables) {
    let coefficient = Int(((sample - 128) * 8 / Double(step)).rounded())
    let difference = coefficient - last[component]
    last[component] = coefficient
    let length = difference.magnitudeBits
    bits.append(tables == .luminance ? Self.luminance[length] : Self.chrominance[length])
    bits.append(signed: difference, length)
    // The block ends.
    bits.append(tables == .luminance ? "1010" : "00")
  }

  mutating func append(byte: Int) { bits.append(byte, 8) }

  /// With its end.
  var bytes: [UInt8] {
    bits.bytes(filledWith: 1).flatMap { $0 == 0xFF ? [$0, 0] : [$0] } + [0xFF, 0xD9]
  }

  /// ITU-T T.81, tables K.3 and K.4: codes for the length of a difference.
  private static let luminance: [Code] = [
    "00", "010", "011", "100", "101", "110", "1110", "11110", "111110", "1111110", "11111110", "111111110",
  ]
  private static let chrominance: [Code] = [
    "00", "01", "10", "110", "1110", "11110", "111110", "1111110", "11111110", "111111110", "1111111110",
    "11111111110",
  ]
}
