import CaptureWire

extension ColourSpace: WordedValue {
  static let words: [(word: String, value: ColourSpace)] = [
    ("srgb", .srgb), ("smpte170m", .smpte170m), ("smpte240m", .smpte240m), ("rec709", .rec709),
    ("bt470m", .bt470m), ("bt470bg", .bt470bg), ("oprgb", .oprgb), ("rec2020", .rec2020),
    ("dci-p3", .dciP3), ("raw", .raw),
  ]
}

extension TransferFunction: WordedValue {
  static let words: [(word: String, value: TransferFunction)] = [
    ("rec709", .rec709), ("srgb", .srgb), ("oprgb", .oprgb), ("smpte240m", .smpte240m), ("linear", .linear),
    ("dci-p3", .dciP3), ("smpte2084", .smpte2084),
  ]
}

extension ColourMatrix: WordedValue {
  static let words: [(word: String, value: ColourMatrix)] = [
    ("rec601", .rec601), ("rec709", .rec709), ("rec2020", .rec2020),
    ("rec2020-constant-luminance", .rec2020ConstantLuminance), ("smpte240m", .smpte240m),
    ("identity", .identity),
  ]
}

extension ColourRange: WordedValue {
  static let words: [(word: String, value: ColourRange)] = [("full", .full), ("limited", .limited)]
}
