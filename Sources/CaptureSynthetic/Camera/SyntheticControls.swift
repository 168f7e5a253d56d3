import CaptureControls
import CaptureModel

/// The controls of a synthetic camera: their descriptions and values.
struct SyntheticControls {
  // The controls that ask for faults. They are private controls of the user class, like vivid's error injections.
  static let stall = ControlID(rawValue: 0x0098_F000)
  static let unplug = ControlID(rawValue: 0x0098_F001)
  static let flaggedFrames = ControlID(rawValue: 0x0098_F002)
  static let lostFrames = ControlID(rawValue: 0x0098_F003)
  static let corruptFrames = ControlID(rawValue: 0x0098_F004)
  static let truncatedFrames = ControlID(rawValue: 0x0098_F005)
  static let controlDelay = ControlID(rawValue: 0x0098_F006)

  /// `V4L2_EXPOSURE_MANUAL`
  private static let manualExposure: Int64 = 1
  /// `V4L2_EXPOSURE_APERTURE_PRIORITY`, the automatic mode of UVC cameras.
  private static let automaticExposure: Int64 = 3

  private var values: ControlKeyed<Int64>

  init() {
    values = ControlKeyed(uniqueKeysWithValues: Self.table.map { ($0.id, $0.defaultValue) })
  }

  /// Every control as it is now.
  var descriptions: [ControlDescription] {
    Self.table.map { entry in
      var entry = entry
      if !isActive(entry.id) { entry.flags.insert(.inactive) }
      return entry
    }
  }

  var tone: Tone {
    Tone(
      brightness: Int(values[ControlID.brightness]!), contrast: Int(values[ControlID.contrast]!),
      gain: Int(values[ControlID.gain]!),
      exposure: isActive(ControlID.exposureAbsolute) ? Int(values[ControlID.exposureAbsolute]!) : nil)
  }

  func value(_ id: ControlID) throws(CaptureError) -> Int64 {
    guard let value = values[id] else { throw Self.unknown(id) }
    return value
  }

  /// Sets one value. Returns the fault that it asks for; `nil`: none.
  mutating func set(_ id: ControlID, _ value: ControlValue) throws(CaptureError) -> SyntheticFault? {
    guard let place = Self.table.firstIndex(where: { $0.id == id }) else { throw Self.unknown(id) }
    let entry = Self.table[place]
    guard case .integer(let number) = value else {
      throw CaptureError(
        .invalidArgument, "\(entry.name) takes a number", .init(.valueNotPossible, field: entry.name))
    }
    guard isActive(id) else {
      throw CaptureError(
        .failedPrecondition,
        "\(entry.name) is inactive: auto_exposure has it; set auto_exposure to 1 (Manual Mode)",
        .init(.controlInactive, field: entry.name))
    }
    guard entry.accepts(number) else {
      let choice =
        entry.menu.isEmpty
        ? "\(entry.minimum) to \(entry.maximum)" : entry.menu.map { "\($0.index)" }.joined(separator: ", ")
      throw CaptureError(
        .outOfRange, "\(entry.name) \(number): it takes \(choice)",
        .init(
          .valueOutOfRange, field: entry.name, asked: .number(Double(number)),
          possible: entry.menu.map { "\($0.index)" },
          range: .init(Double(entry.minimum), Double(entry.maximum))))
    }
    let fault = Self.fault(id, Int(number))
    // The value of a fault is not kept; only that of a control delay stays.
    if fault == nil || id == Self.controlDelay { values[id] = number }
    return fault
  }

  /// The changes of other controls' flags that setting `id` causes.
  func dependents(of id: ControlID) -> [ControlChange] {
    guard id == ControlID.autoExposure else { return [] }
    return [
      ControlChange(
        id: ControlID.exposureAbsolute, value: nil,
        flags: isActive(ControlID.exposureAbsolute) ? [] : .inactive)
    ]
  }

  private func isActive(_ id: ControlID) -> Bool {
    id != ControlID.exposureAbsolute || values[ControlID.autoExposure] == Self.manualExposure
  }

  private static func unknown(_ id: ControlID) -> CaptureError {
    CaptureError(
      .invalidArgument, "the camera has no control \(id)", .init(.unknownName, asked: .text("\(id)")))
  }

  private static func fault(_ id: ControlID, _ value: Int) -> SyntheticFault? {
    switch id {
    case stall: .stall(.milliseconds(value))
    case unplug: .unplug(.milliseconds(value))
    case flaggedFrames: .flaggedFrames(value)
    case lostFrames: .lostFrames(value)
    case corruptFrames: .corruptFrames(value)
    case truncatedFrames: .truncatedFrames(value)
    case controlDelay: .slowControls(.milliseconds(value))
    default: nil
    }
  }

  private static let table: [ControlDescription] = [
    ControlDescription(
      id: .brightness, name: "brightness", label: "Brightness", type: .integer, minimum: -128, maximum: 127,
      flags: .slider),
    ControlDescription(
      id: .contrast, name: "contrast", label: "Contrast", type: .integer, maximum: 255, defaultValue: 128,
      flags: .slider),
    ControlDescription(id: .gain, name: "gain", label: "Gain", type: .integer, maximum: 255, flags: .slider),
    fault(stall, "Fault: Stall, ms", maximum: 60_000),
    fault(unplug, "Fault: Unplug, ms", maximum: 60_000),
    fault(flaggedFrames, "Fault: Flagged Frames", maximum: 1000),
    fault(lostFrames, "Fault: Lost Frames", maximum: 1000),
    fault(corruptFrames, "Fault: Corrupt Frames", maximum: 1000),
    fault(truncatedFrames, "Fault: Truncated Frames", maximum: 1000),
    fault(controlDelay, "Fault: Control Delay, ms", maximum: 10_000),
    ControlDescription(
      id: .autoExposure, name: "auto_exposure", label: "Auto Exposure", type: .menu, maximum: 3,
      defaultValue: automaticExposure,
      menu: [
        ControlDescription.MenuItem(index: manualExposure, content: .name("Manual Mode")),
        ControlDescription.MenuItem(index: automaticExposure, content: .name("Aperture Priority Mode")),
      ], flags: .update, className: "Camera Controls"),
    ControlDescription(
      id: .exposureAbsolute, name: "exposure_time_absolute", label: "Exposure Time, Absolute", type: .integer,
      minimum: 1,
      maximum: 10_000, defaultValue: Int64(Tone.rightExposure), className: "Camera Controls"),
  ]

  private static func fault(_ id: ControlID, _ label: String, maximum: Int64) -> ControlDescription {
    var name = ""
    for character in label.lowercased() {
      if character.isLetter { name.append(character) } else if name.last != "_" { name.append("_") }
    }
    return ControlDescription(
      id: id, name: name, label: label, type: .integer, maximum: maximum, flags: .executeOnWrite)
  }
}

extension ControlDescription {
  fileprivate func accepts(_ number: Int64) -> Bool {
    menu.isEmpty ? (minimum...maximum).contains(number) : menu.contains { $0.index == number }
  }
}
