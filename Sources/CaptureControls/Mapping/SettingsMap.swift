import CaptureModel

/// The mapping for one camera: the rows of ``ControlMapping`` whose controls its driver has. It never changes. A camera whose controls change gets a
/// new one.
public final class SettingsMap: Sendable {
  /// The controls that can be used, by id.
  let controls: ControlKeyed<ControlDescription>
  let values: SettingKeyed<Mapped>
  /// The gains for white balance: those of red and blue, relative to green.
  let gains: (red: Mapped, blue: Mapped)?
  let focusModes: [ControlMapping.Mode<FocusMode>]
  let exposureModes: [ControlMapping.Mode<ExposureMode>]
  let whiteBalanceModes: [ControlMapping.Mode<WhiteBalanceMode>]
  let focusRanges: [ControlMapping.Mode<FocusRange>]
  let torchModes: [ControlMapping.Mode<LightMode>]
  let flashModes: [ControlMapping.Mode<LightMode>]
  /// The controls that mirror the picture. Frames have their values. ``setting(of:)`` does not know them.
  let flips: [Mapped]
  private let owners: ControlKeyed<Setting>
  /// The controls that have to be read for the settings.
  public let ids: [ControlID]
  /// Those of `ids` that change by themselves, without an event (`V4L2_CTRL_FLAG_VOLATILE`).
  public let movingIDs: [ControlID]
  /// The settings of `movingIDs`.
  let moving: [Setting]

  /// The control of a setting.
  final class Mapped: Sendable {
    let setting: Setting
    let control: ControlDescription
    let conversion: ValueConversion
    let range: SettingsDescription.ValueRange

    init(setting: Setting, control: ControlDescription, conversion: ValueConversion) {
      self.setting = setting
      self.control = control
      self.conversion = conversion
      range = conversion.range(control)
    }

    /// Whether the driver never lets it be set, in any mode.
    var isReadOnly: Bool { control.flags.contains(.readOnly) }
  }

  /// `lineTime`: how many seconds a line of the sensor takes (``lineTime(values:width:)``); `nil`: unknown. `gainISO`: the ISO of the least and of
  /// the largest gain, for cameras without an ISO control.
  public init(
    _ list: [ControlDescription], lineTime: Double? = nil, gainISO: ClosedRange<Double>? = nil
  ) {
    var controls = ControlKeyed<ControlDescription>()
    for control in list where control.type != .controlClass && !control.flags.contains(.disabled) {
      if controls[control.id] == nil { controls[control.id] = control }
    }
    self.controls = controls
    var values = SettingKeyed<Mapped>()
    for row in ControlMapping.values where values[row.setting] == nil {
      guard let control = controls[row.control] else { continue }
      var conversion = row.conversion
      if case .lines = conversion {
        guard let lineTime else { continue }
        conversion = .lines(lineTime)
      }
      guard conversion.isPossible(control) else { continue }
      values[row.setting] = Mapped(setting: row.setting, control: control, conversion: conversion)
    }
    if let gainISO, gainISO.lowerBound < gainISO.upperBound, values[.iso] == nil, let gain = values[.gain] {
      let conversion = ValueConversion.between(gainISO.lowerBound, gainISO.upperBound)
      if conversion.isPossible(gain.control) {
        values[.iso] = Mapped(setting: .iso, control: gain.control, conversion: conversion)
      }
    }
    self.values = values
    flips = ControlMapping.flips.compactMap { row in
      controls[row.control].map {
        Mapped(setting: row.setting, control: $0, conversion: .scaled(1, text: "as it is"))
      }
    }
    gains = Self.mapped(ControlMapping.gains.red, controls).flatMap { red in
      Self.mapped(ControlMapping.gains.blue, controls).map { (red, $0) }
    }
    var settable = Set(values.values.lazy.filter { !$0.isReadOnly }.map(\.setting))
    if let gains, !gains.red.isReadOnly, !gains.blue.isReadOnly { settable.insert(.whiteBalanceGains) }
    func possible<Name>(_ modes: [ControlMapping.Mode<Name>]) -> [ControlMapping.Mode<Name>] {
      var known: Set<Name> = []
      return modes.compactMap { mode in
        var mode = mode
        mode.find(in: controls)
        guard !known.contains(mode.mode), mode.isPossible(controls, settable) else { return nil }
        known.insert(mode.mode)
        return mode
      }
    }
    focusModes = possible(ControlMapping.focusModes)
    exposureModes = possible(ControlMapping.exposureModes)
    whiteBalanceModes = possible(ControlMapping.whiteBalanceModes)
    focusRanges = possible(ControlMapping.focusRanges)
    torchModes = possible(ControlMapping.torchModes)
    flashModes = possible(ControlMapping.flashModes)

    var owners = ControlKeyed<Setting>()
    // Where one control has two settings, the later one counts: `gain` for a gain that is an ISO too.
    for setting in Setting.allCases {
      if let mapped = values[setting] { owners[mapped.control.id] = setting }
    }
    for gain in [gains?.red, gains?.blue] {
      if let gain { owners[gain.control.id] = .whiteBalanceGains }
    }
    self.owners = owners
    var used = Set(owners.keys)
    used.formUnion(flips.map(\.control.id))
    used.formUnion(switches(focusModes) + switches(exposureModes) + switches(whiteBalanceModes))
    used.formUnion(switches(focusRanges) + switches(torchModes) + switches(flashModes) + [.autoFocusStatus])
    ids = used.filter { controls[$0]?.isReadable == true }.sorted { $0.rawValue < $1.rawValue }
    movingIDs = ids.filter { controls[$0]?.flags.contains(.volatile) == true }
    var moving: Set<Setting> = movingIDs.contains(.autoFocusStatus) ? [.focusAdjusting] : []
    for setting in Setting.allCases {
      if let mapped = values[setting], movingIDs.contains(mapped.control.id) { moving.insert(setting) }
    }
    if movingIDs.contains(where: { owners[$0] == .whiteBalanceGains }) { moving.insert(.whiteBalanceGains) }
    self.moving = Array(moving)
  }

  /// The setting whose value a control has; `nil` for controls that make modes, mirror the picture or have no setting.
  public func setting(of control: ControlID) -> Setting? { owners[control] }

  /// The settings that frames have from a control: that of ``setting(of:)``, and the ISO too where a gain is one. A control that mirrors the picture
  /// has the setting for that.
  public func settings(of control: ControlID) -> [Setting] {
    guard let owner = owners[control] else {
      return flips.filter { $0.control.id == control }.map(\.setting)
    }
    return owner != .iso && values[.iso]?.control.id == control ? [owner, .iso] : [owner]
  }

  /// The controls that light the torch.
  public var torchControls: [ControlID] {
    let switches = torchModes.first { $0.mode == .on }?.existing.map(\.control.id) ?? []
    return switches + (values[.torchLevel].map { [$0.control.id] } ?? [])
  }

  /// The values that switch the torch off.
  public var torchOff: [(ControlDescription, Int64)] {
    let off = torchModes.first { $0.mode == .off }?.existing ?? []
    return off.compactMap { row, control in row.value(for: control).map { (control, $0) } }
  }

  /// Whether a control has the setting's value.
  public func has(_ setting: Setting) -> Bool { values[setting] != nil }

  private static func mapped(_ id: ControlID, _ controls: ControlKeyed<ControlDescription>) -> Mapped? {
    guard let control = controls[id], ValueConversion.overDefault.isPossible(control) else { return nil }
    return Mapped(setting: .whiteBalanceGains, control: control, conversion: .overDefault)
  }

  /// How many seconds a line of the sensor takes, where the driver reports it: (width + `V4L2_CID_HBLANK`) / `V4L2_CID_PIXEL_RATE`.
  public static func lineTime(values: ControlKeyed<ControlValue>, width: Int) -> Double? {
    guard case .integer(let blanking)? = values[.horizontalBlanking],
      case .integer(let rate)? = values[.pixelRate], rate > 0, blanking >= 0
    else { return nil }
    return (Double(width) + Double(blanking)) / Double(rate)
  }

  /// The controls that ``lineTime(values:width:)`` needs.
  public static let lineControls: [ControlID] = [.horizontalBlanking, .pixelRate]
}

extension ControlMapping.Mode {
  fileprivate func isPossible(_ controls: ControlKeyed<ControlDescription>, _ settable: Set<Setting>) -> Bool
  {
    if let button, controls[button] == nil { return false }
    if !values.isEmpty, settable.isDisjoint(with: values) { return false }
    if needsSwitch, existing.isEmpty { return false }
    return existing.allSatisfy { $0.row.value(for: $0.control) != nil }
  }

  fileprivate mutating func find(in controls: ControlKeyed<ControlDescription>) {
    existing = switches.compactMap { row in
      guard let control = controls[row.control] else { return nil }
      if let bits = row.bits, control.maximum & bits != bits { return nil }
      return (row, control)
    }
  }

  /// Whether a camera whose controls have these numbers is in this mode. A switch without a number, because it cannot be read now, may be in any
  /// position; one that can never be read counts as 0 until it is set.
  func isFulfilled(by numbers: SettingsMap.Numbers) -> Bool {
    existing.allSatisfy { row, control in
      if let number = numbers[control.id] { return row.isFulfilled(by: number) }
      return !control.isReadable && row.isFulfilled(by: 0)
    }
  }
}

/// The controls that make these modes.
private func switches<Name>(_ modes: [ControlMapping.Mode<Name>]) -> [ControlID] {
  modes.flatMap { $0.switches.map(\.control) }
}

extension ControlMapping.Switch {
  /// The first choice that a control takes; `nil`: it takes none of them.
  func value(for control: ControlDescription) -> Int64? {
    if control.flags.contains(.readOnly) { return nil }
    if let bits { return choices[0] * bits }
    return choices.first { choice in
      control.menu.isEmpty
        ? (control.minimum...Swift.max(control.minimum, control.maximum)).contains(choice)
        : control.menu.contains { $0.index == choice }
    }
  }

  /// Whether a control with the value `number` does what this switch asks for.
  func isFulfilled(by number: Int64) -> Bool {
    if let bits { return number & bits == choices[0] * bits }
    return choices.contains(number)
  }
}
