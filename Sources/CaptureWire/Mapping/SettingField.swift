package import CaptureModel

/// A row for one setting that is a number: where the messages of its group have that number.
package struct SettingField<Settings, Description, Change>: Sendable {
  package let setting: Setting
  /// The field with its present value.
  package let current: WritableKeyPath<Settings, Observed?> & Sendable
  /// The field with its possible values; `nil`: it cannot be set.
  package let range: (WritableKeyPath<Description, ValueRange?> & Sendable)?
  /// The field with the value with which a frame was taken; `nil`: frames do not have it.
  private let frame: FrameSettingField?
  /// The number that a change asks for; `nil`: none.
  package let asked: @Sendable (Change) -> Double?
  /// Asks for a number in a change.
  package let ask: @Sendable (Double, inout Change) -> Void

  init(
    _ setting: Setting, _ current: WritableKeyPath<Settings, Observed?> & Sendable,
    range: WritableKeyPath<Description, ValueRange?> & Sendable, frame: FrameSettingField,
    asked: @escaping @Sendable (Change) -> Double? = { _ in nil },
    ask: @escaping @Sendable (Double, inout Change) -> Void = { _, _ in }
  ) {
    (self.setting, self.current, self.range, self.frame) = (setting, current, range, frame)
    (self.asked, self.ask) = (asked, ask)
  }

  /// Makes the row of a setting that cannot be set, and that frames do not have.
  init(_ setting: Setting, _ current: WritableKeyPath<Settings, Observed?> & Sendable) {
    (self.setting, self.current, range, frame) = (setting, current, nil, nil)
    asked = { _ in nil }
    ask = { _, _ in }
  }

  var inFrames: (setting: Setting, field: FrameSettingField)? { frame.map { (setting, $0) } }
}

extension FocusSettings {
  package typealias Field = SettingField<FocusSettings, FocusDescription, FocusChange>

  package static let fields: [Field] = [
    Field(
      .lensPosition, \.lensPosition, range: \.lensPosition,
      frame: FrameSettingField({ $0.lensPosition }, { $1.lensPosition = $0 }),
      asked: { if case .lensPosition(let number)? = $0.lens { number } else { nil } },
      ask: { $1.lens = .lensPosition($0) })
  ]
}

extension ExposureSettings {
  package typealias Field = SettingField<ExposureSettings, ExposureDescription, ExposureChange>

  /// The bias has no row, since it is a plain number without a provenance.
  package static let fields: [Field] = [
    Field(
      .exposureDuration, \.duration, range: \.duration,
      frame: FrameSettingField({ $0.exposureDuration }, { $1.exposureDuration = $0 }),
      asked: { if case .duration(let number)? = $0.time { number } else { nil } },
      ask: { $1.time = .duration($0) }),
    Field(
      .iso, \.iso, range: \.iso, frame: FrameSettingField({ $0.iso }, { $1.iso = $0 }),
      asked: { if case .iso(let number)? = $0.sensitivity { number } else { nil } },
      ask: { $1.sensitivity = .iso($0) }),
    Field(
      .gain, \.gain, range: \.gain, frame: FrameSettingField({ $0.gain }, { $1.gain = $0 }),
      asked: { if case .gain(let number)? = $0.amplification { number } else { nil } },
      ask: { $1.amplification = .gain($0) }),
    Field(
      .iris, \.iris, range: \.iris, frame: FrameSettingField({ $0.iris }, { $1.iris = $0 }),
      asked: { if case .iris(let number)? = $0.aperture { number } else { nil } },
      ask: { $1.aperture = .iris($0) }),
    Field(.exposureTargetOffset, \.targetOffset),
  ]
}

extension WhiteBalanceSettings {
  package typealias Field = SettingField<WhiteBalanceSettings, WhiteBalanceDescription, WhiteBalanceChange>

  /// The rows read no number of a change: a change asks for both numbers together, as a colour.
  package static let fields: [Field] = [
    Field(
      .temperature, \.temperature, range: \.temperature,
      frame: FrameSettingField({ $0.temperature }, { $1.temperature = $0 })),
    Field(.tint, \.tint, range: \.tint, frame: FrameSettingField({ $0.tint }, { $1.tint = $0 })),
  ]
}

extension SettingKeyed<CaptureModel.Observed<Double>> {
  /// Writes the numbers into a message.
  func write<Settings, Description, Change>(
    _ fields: [SettingField<Settings, Description, Change>], into message: inout Settings
  ) {
    for field in fields { message[keyPath: field.current] = self[field.setting].map { Observed($0) } }
  }
}

extension SettingKeyed<CaptureModel.SettingsDescription.ValueRange> {
  /// Writes the ranges of the numbers into a message.
  func write<Settings, Description, Change>(
    _ fields: [SettingField<Settings, Description, Change>], into message: inout Description
  ) {
    for field in fields {
      if let range = field.range { message[keyPath: range] = self[field.setting].map { ValueRange($0) } }
    }
  }
}

extension SettingKeyed<Double> {
  /// Reads the numbers that a change asks for.
  mutating func read<Settings, Description, Change>(
    _ fields: [SettingField<Settings, Description, Change>], of message: Change
  ) {
    for field in fields { self[field.setting] = field.asked(message) ?? self[field.setting] }
  }
}

extension SettingKeyed<CaptureModel.Observed<Double>> {
  /// Reads the numbers of a message.
  mutating func read<Settings, Description, Change>(
    _ fields: [SettingField<Settings, Description, Change>], of message: Settings
  ) {
    for field in fields { self[field.setting] = message[keyPath: field.current]?.model }
  }
}

extension SettingKeyed<CaptureModel.SettingsDescription.ValueRange> {
  /// Reads the ranges of the numbers of a message.
  mutating func read<Settings, Description, Change>(
    _ fields: [SettingField<Settings, Description, Change>], of message: Description
  ) {
    for field in fields { self[field.setting] = field.range.flatMap { message[keyPath: $0]?.model } }
  }
}

extension SettingKeyed<Double> {
  /// Writes the numbers that a change asks for.
  func write<Settings, Description, Change>(
    _ fields: [SettingField<Settings, Description, Change>], into message: inout Change
  ) {
    for field in fields { if let number = self[field.setting] { field.ask(number, &message) } }
  }
}
