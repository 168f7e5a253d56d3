import CaptureWire

/// A value of the contract that has a word on the command line and in the output.
protocol WordedValue: Hashable {
  static var words: [(word: String, value: Self)] { get }
}

extension WordedValue {
  init?(word: String) {
    guard let value = Self.words.first(where: { $0.word == word })?.value else { return nil }
    self = value
  }

  /// "unknown" for a value that a newer node may send.
  var word: String { Self.words.first { $0.value == self }?.word ?? "unknown" }
}

extension FocusMode: WordedValue {
  static let words: [(word: String, value: FocusMode)] = [
    ("locked", .locked), ("auto", .auto), ("continuous", .continuous),
  ]
}

extension FocusRange: WordedValue {
  static let words: [(word: String, value: FocusRange)] = [("none", .none), ("near", .near), ("far", .far)]
}

extension ExposureMode: WordedValue {
  static let words: [(word: String, value: ExposureMode)] = [
    ("locked", .locked), ("auto", .auto), ("continuous", .continuous), ("custom", .custom),
  ]
}

extension WhiteBalanceMode: WordedValue {
  static let words: [(word: String, value: WhiteBalanceMode)] = [
    ("locked", .locked), ("auto", .auto), ("continuous", .continuous),
  ]
}

extension LightMode: WordedValue {
  static let words: [(word: String, value: LightMode)] = [("off", .off), ("on", .on), ("auto", .auto)]
}

extension FlashOutcome: WordedValue {
  static let words: [(word: String, value: FlashOutcome)] = [
    ("fired", .fired), ("not needed", .notNeeded),
  ]
}

extension ZoomKind: WordedValue {
  static let words: [(word: String, value: ZoomKind)] = [
    ("hardware", .hardware), ("sensor crop", .sensorCrop), ("digital", .digital),
  ]
}

extension Provenance: WordedValue {
  static let words: [(word: String, value: Provenance)] = [
    ("reported", .reported), ("calibrated", .calibrated), ("assumed", .assumed), ("unknown", .unknown),
    ("observed", .observed), ("derived", .derived),
  ]
}
