import CaptureClient

/// A value of the model that has a word on the command line and in the output.
protocol WordedValue: Hashable, CaseIterable {
  var word: String { get }
}

extension WordedValue {
  init?(word: String) {
    guard let value = Self.allCases.first(where: { $0.word == word }) else { return nil }
    self = value
  }

  static var words: [String] { allCases.map(\.word) }
}

extension WordedValue where Self: RawRepresentable<String> {
  var word: String { rawValue }
}

extension FocusMode: WordedValue {}
extension FocusRange: WordedValue {}
extension ExposureMode: WordedValue {}
extension WhiteBalanceMode: WordedValue {}
extension LightMode: WordedValue {}

extension FlashOutcome: WordedValue {
  var word: String { self == .notNeeded ? "not needed" : rawValue }
}

extension ZoomKind: WordedValue {
  var word: String { self == .sensorCrop ? "sensor crop" : rawValue }
}

extension Provenance: WordedValue {
  var word: String { "\(self)" }
}
