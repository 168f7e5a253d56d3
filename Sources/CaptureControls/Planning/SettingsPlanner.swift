import CaptureModel

/// Turns a change of settings into controls to set. It refuses what the camera cannot do before anything is set, and says what the camera can do.
public struct SettingsPlanner {
  /// The camera's name, for messages: "'usb-1'".
  let camera: String
  let map: SettingsMap
  let numbers: SettingsMap.Numbers
  /// What the node can do from pictures.
  let software: SoftwareAbilities
  private var clamping: Clamping
  private(set) var plan = SettingsPlan()

  /// `numbers`: the present numbers of the controls.
  public init(
    camera: String, map: SettingsMap, numbers: SettingsMap.Numbers, asked: SettingsMap.Asked,
    software: SoftwareAbilities = SoftwareAbilities(), clamping: Bool
  ) {
    self.camera = camera
    self.map = map
    self.numbers = numbers
    self.software = software
    self.clamping = Clamping(clamping)
    plan.asked = asked
  }

  /// Throws `invalidArgument` for a value out of range (it names the range), for a mode that the camera lacks (it lists the modes), and for parts
  /// that contradict each other.
  public mutating func plan(_ change: SettingsChange) throws(CaptureError) -> SettingsPlan {
    try plan(change.focus)
    try plan(change.exposure)
    try plan(change.whiteBalance)
    if let zoom = change.zoom { try plan(zoom) }
    if change.torch != nil || change.flash != nil {
      try change.checkLights()
      try plan(torch: change.torch, flash: change.flash)
    }
    plan.clamped = clamping.values
    return plan
  }

  /// Plans what the node sets by itself: values, and the camera's own automatic modes that the camera gets back. With such a mode only those values
  /// are set that the mode leaves free.
  public mutating func planAutomation(_ change: SettingsChange) throws(CaptureError) -> SettingsPlan {
    var values = change
    (values.focus.mode, values.exposure.mode, values.whiteBalance.mode) = (nil, nil, nil)
    _ = try plan(values)
    var groups: Set<SettingGroup> = []
    if let mode = change.focus.mode {
      groups.insert(.focus)
      try enter(mode, map.focusModes, .focusMode)
    }
    if let mode = change.exposure.mode {
      groups.insert(.exposure)
      try enterByDriver(mode)
    }
    if let mode = change.whiteBalance.mode {
      groups.insert(.whiteBalance)
      plan.asked.gainsWereSetLast = false
      try enter(mode, map.whiteBalanceModes, .whiteBalanceMode)
    }
    plan.leaveToModes { id in map.setting(of: id).map { groups.contains($0.settingGroup) } ?? false }
    return plan
  }

  // MARK: Parts

  private mutating func plan(_ focus: SettingsChange.Focus) throws(CaptureError) {
    if let position = focus.lensPosition {
      try require(focus.mode, .locked, for: Setting.lensPosition.name, "focus")
      stopSearching()
      try set(.lensPosition, position)
      try enter(.locked, map.focusModes, .focusMode)
      plan.software.focus = .release
    } else if let mode = mode(of: focus) {
      if isForSoftware(mode, map.focusModes, software.focusModes, isBeyondDriver: isBeyondDriver(focus)) {
        // A search of the driver's would move the lens.
        stopSearching()
        try enterIfPossible(.locked, map.focusModes, .focusMode)
        plan.software.focus = SoftwareRequest.Focus()
        plan.software.focus?.mode = mode
        plan.software.focus?.endsCameraMode = map.focusMode(numbers) == .continuous
      } else {
        if mode != .auto { stopSearching() }
        try enter(mode, map.focusModes, .focusMode, else: software.focusModes)
        plan.software.focus = .release
      }
    }
    if let point = focus.point {
      guard software.hasFocusPoint else { throw noPoint(.focusPoint, "the node cannot move its lens") }
      var request = plan.software.focus ?? SoftwareRequest.Focus()
      request.point = point
      plan.software.focus = request
    }
    guard let range = focus.range else { return }
    if map.focusRanges.isEmpty, software.focusRanges.contains(range) {
      var request = plan.software.focus ?? SoftwareRequest.Focus()
      request.range = range
      plan.software.focus = request
    } else if range != .none || !map.focusRanges.isEmpty {
      try enter(range, map.focusRanges, .focusRange, else: [FocusRange.none])
    }
  }

  private mutating func stopSearching() {
    plan.stops = map.searchStop(numbers).map { [SettingsPlan.Step(control: $0, value: .integer(0))] } ?? []
  }

  /// Whether the node carries out a mode: only if the driver cannot.
  private func isForSoftware<Name>(
    _ mode: Name, _ driver: [ControlMapping.Mode<Name>], _ software: [Name], isBeyondDriver: Bool = false
  ) -> Bool {
    software.contains(mode) && (isBeyondDriver || !driver.contains { $0.mode == mode })
  }

  /// Whether the change has a point away from the centre, or a range that the driver does not know.
  private func isBeyondDriver(_ focus: SettingsChange.Focus) -> Bool {
    software.hasFocusPoint && (focus.point ?? software.kept.focusPoint) != .center
      || map.focusRanges.isEmpty && (focus.range ?? software.kept.focusRange) != .none
  }

  /// The mode that the change asks for; `nil`: none. If the camera focuses by itself, and the change asks for a point or a range that only the node
  /// can do, this is the continuous mode, which the node takes over.
  private func mode(of focus: SettingsChange.Focus) -> FocusMode? {
    if let mode = focus.mode { return mode }
    guard focus.point != nil || focus.range != nil, isBeyondDriver(focus) else { return nil }
    return map.focusMode(numbers) == .continuous ? .continuous : nil
  }

  private func isBeyondDriver(_ exposure: SettingsChange.Exposure) -> Bool {
    software.hasExposurePoint && (exposure.point ?? software.kept.exposurePoint) != .center
      || map.settable(.exposureBias) == nil && (exposure.bias ?? software.kept.bias) != 0
  }

  private func mode(of exposure: SettingsChange.Exposure) -> ExposureMode? {
    if Setting.ofCustomExposure.contains(where: { exposure.numbers[$0] != nil }) { return .custom }
    if let mode = exposure.mode { return mode }
    guard exposure.point != nil || exposure.bias != nil, isBeyondDriver(exposure) else { return nil }
    return isExposingByDriver ? .continuous : nil
  }

  private var isExposingByDriver: Bool {
    map.exposureMode(numbers, asked: plan.asked.exposureMode) == .continuous
  }

  private mutating func enterIfPossible<Name: RawRepresentable<String>>(
    _ name: Name, _ modes: [ControlMapping.Mode<Name>], _ setting: Setting
  ) throws(CaptureError) {
    if modes.contains(where: { $0.mode == name }) { try enter(name, modes, setting) }
  }

  private mutating func plan(_ exposure: SettingsChange.Exposure) throws(CaptureError) {
    if exposure.iso != nil, exposure.gain != nil {
      throw CaptureError(
        .invalidArgument, "iso and gain are the same thing in two units; set one of them",
        .init(.fieldsExclusive, field: CaptureError.field(of: .gain)))
    }
    // The bias comes last: the node may take it instead of the driver.
    for setting in ControlMapping.settings(of: .exposure) where setting != .exposureBias {
      guard let value = exposure.numbers[setting] else { continue }
      if setting.row.isCustomExposure { try require(exposure.mode, .custom, for: setting.name, "exposure") }
      try set(setting, value)
    }
    if let mode = mode(of: exposure) {
      if isForSoftware(
        mode, map.exposureModes, software.exposureModes, isBeyondDriver: isBeyondDriver(exposure))
      {
        let isByDriver = isExposingByDriver
        // The mode begins with the exposure that the camera's own mode found.
        if isByDriver { plan.valuesToKeep = exposureValues }
        try enterIfPossible(.custom, map.exposureModes, .exposureMode)
        plan.software.exposure = SoftwareRequest.Exposure()
        plan.software.exposure?.mode = mode
        plan.software.exposure?.endsCameraMode = isByDriver
      } else {
        try enterByDriver(mode)
        plan.software.exposure = .release
      }
    }
    if let point = exposure.point {
      guard software.hasExposurePoint else {
        throw noPoint(.exposurePoint, "the node cannot set its exposure")
      }
      var request = plan.software.exposure ?? SoftwareRequest.Exposure()
      request.point = point
      plan.software.exposure = request
    }
    guard let bias = exposure.bias else { return }
    if bias != 0 { try requireAutomatic(exposure) }
    try plan(bias: bias)
  }

  private mutating func enterByDriver(_ mode: ExposureMode) throws(CaptureError) {
    let wasAutomatic = isExposingByDriver
    let count = plan.switches.count
    try enter(mode, map.exposureModes, .exposureMode, else: software.exposureModes)
    plan.asked.exposureMode = mode
    let isLock = plan.switches[count...].contains { $0.control == .lock3A }
    guard mode == .locked || mode == .custom, wasAutomatic, !isLock else { return }
    // Without this a driver would go back to the values that were last set by hand.
    plan.valuesToKeep = exposureValues.filter { id in !plan.values.contains { $0.control == id } }
  }

  private var exposureValues: [ControlID] {
    var ids: [ControlID] = []
    for setting in Setting.ofCustomExposure where map.settable(setting) != nil {
      if let id = map.values[setting]?.control.id, !ids.contains(id) { ids.append(id) }
    }
    return ids
  }

  /// Plans the bias for the driver, for the node or for both: the one that exposes uses its own. While the node exposes, the driver's control is
  /// inactive and is not set.
  private mutating func plan(bias: Double) throws(CaptureError) {
    var request = plan.software.exposure ?? SoftwareRequest.Exposure()
    let isBySoftware = request.mode != nil || software.kept.exposureMode != nil && !request.releases
    if !isBySoftware, map.settable(.exposureBias) != nil || software.bias == nil {
      try set(.exposureBias, bias)
    }
    guard let range = software.bias else { return }
    request.bias = try clamping.clamp(bias, in: range, .exposureBias, by: camera)
    plan.software.exposure = request
  }

  /// Throws `failedPrecondition` for a bias in a custom or locked exposure, which it would not change. On a camera without automatic modes it is not
  /// refused.
  private func requireAutomatic(_ exposure: SettingsChange.Exposure) throws(CaptureError) {
    let present =
      software.kept.exposureMode ?? map.exposureMode(numbers, asked: plan.asked.exposureMode)
    guard let mode = mode(of: exposure) ?? present, mode == .custom || mode == .locked else { return }
    let modes = [ExposureMode.continuous, .auto].filter { mode in
      software.exposureModes.contains(mode) || map.exposureModes.contains { $0.mode == mode }
    }
    guard !modes.isEmpty else { return }
    let names = (modes.count == 1 ? "mode " : "modes ") + modes.map(\.rawValue).joined(separator: " and ")
    let remedy = modes.count == 1 ? "set that mode" : "set one of these modes"
    throw CaptureError(
      .failedPrecondition,
      "\(Setting.exposureBias) acts in the exposure \(names), not in \(mode.rawValue): \(remedy) on \(camera) in the same change",
      .init(
        .controlInactive, field: CaptureError.field(of: .exposureBias),
        possible: modes.map(\.rawValue))
    )
  }

  private mutating func plan(_ whiteBalance: SettingsChange.WhiteBalance) throws(CaptureError) {
    guard let colour = whiteBalance.colour else {
      if let mode = whiteBalance.mode { try plan(mode) }
      return
    }
    try require(whiteBalance.mode, .locked, for: colour.field, "white balance")
    switch colour {
    case .temperature(let light):
      if map.settable(.temperature) != nil, light.tint == 0 || map.balances == nil {
        _ = try checked(tint: light.tint)
        try set(.temperature, light.temperature)
        plan.asked.gainsWereSetLast = false
      } else {
        try set(WhiteBalanceGains(for: try checked(light)), areFromClient: false)
      }
    case .gains(let gains):
      try set(gains)
      if whiteBalance.temperatureTellsLight { plan.asked.gainsWereSetLast = false }
    case .greyWorld:
      guard software.hasGreyWorld else {
        throw CaptureError(
          .invalidArgument, "\(camera) cannot be balanced to a grey world: its gains cannot be set",
          .init(.notSupported, field: "change.\(colour.field)"))
      }
      plan.software.whiteBalance = SoftwareRequest.WhiteBalance()
      plan.software.whiteBalance?.isGreyWorld = true
      plan.software.whiteBalance?.endsCameraMode = map.whiteBalanceMode(numbers) == .continuous
      return try enterIfPossible(.locked, map.whiteBalanceModes, .whiteBalanceMode)
    }
    try enter(.locked, map.whiteBalanceModes, .whiteBalanceMode)
    plan.software.whiteBalance = .release
  }

  private mutating func plan(_ mode: WhiteBalanceMode) throws(CaptureError) {
    if isForSoftware(mode, map.whiteBalanceModes, software.whiteBalanceModes) {
      try enterIfPossible(.locked, map.whiteBalanceModes, .whiteBalanceMode)
      plan.software.whiteBalance = SoftwareRequest.WhiteBalance()
      plan.software.whiteBalance?.mode = mode
      plan.software.whiteBalance?.endsCameraMode = map.whiteBalanceMode(numbers) == .continuous
    } else {
      // A mode of the node's leaves the driver's control of the temperature as it was. So after locking, the gains may still give the light.
      if mode != .locked { plan.asked.gainsWereSetLast = false }
      try enter(mode, map.whiteBalanceModes, .whiteBalanceMode, else: software.whiteBalanceModes)
      plan.software.whiteBalance = .release
    }
  }

  private mutating func checked(tint: Double) throws(CaptureError) -> Double {
    let ends = tint == 0 ? 0...0 : map.balances?.tints ?? 0...0
    let range = SettingsDescription.ValueRange(
      minimum: ends.lowerBound, maximum: ends.upperBound, defaultValue: 0)
    return try clamping.clamp(tint, in: range, .tint, by: camera)
  }

  /// The nearest light that the camera's gains can make grey. A refusal names temperature and tint, as the client did.
  private mutating func checked(_ light: TemperatureAndTint) throws(CaptureError) -> TemperatureAndTint {
    guard let balances = map.balances else { throw unsettable(.temperature) }
    if balances.contains(light) { return light }
    let (temperature, tint) = (light.temperature, try checked(tint: light.tint))
    guard let ends = balances.temperatures(tint: tint, near: temperature) else {
      throw unsettable(.temperature)
    }
    let range = SettingsDescription.ValueRange(
      minimum: ends.lowerBound, maximum: ends.upperBound, defaultValue: ends.lowerBound)
    guard tint != 0, !range.contains(temperature), !clamping.isAsked else {
      let taken = try clamping.clamp(temperature, in: range, .temperature, by: camera)
      return TemperatureAndTint(temperature: taken, tint: tint)
    }
    let tints = balances.tints(temperature: temperature, near: tint).map {
      ", or with that temperature a tint of \($0.lowerBound.shortText) to \($0.upperBound.shortText)"
    }
    throw CaptureError(
      .invalidArgument,
      "\(Setting.temperature) cannot be \(temperature.shortText) K with a tint of \(tint.shortText): "
        + "\(camera) takes \(range.text) K with that tint\(tints ?? "")",
      .init(
        .valueOutOfRange, field: CaptureError.field(of: .temperature), asked: .number(temperature),
        range: .init(range.minimum, range.maximum)))
  }

  /// `areFromClient`: the client asked for these gains; otherwise it asked for the light that they make grey.
  private mutating func set(_ gains: WhiteBalanceGains, areFromClient: Bool = true) throws(CaptureError) {
    guard let controls = map.gains, map.balances != nil else { throw unsettable(.whiteBalanceGains) }
    for (mapped, gain, name) in [(controls.red, gains.red, "red"), (controls.blue, gains.blue, "blue")] {
      let value = try clamping.clamp(
        gain / gains.green, in: mapped.range, .whiteBalanceGains, by: "\(camera), for \(name) over green,")
      let set = add(mapped, value)
      if areFromClient {
        clamping.noteRounding(gain / gains.green, to: set, in: mapped.range, .whiteBalanceGains)
      }
    }
    plan.asked.gainsWereSetLast = true
  }

  private mutating func plan(_ zoom: SettingsChange.Zoom) throws(CaptureError) {
    try set(.zoomFactor, zoom.factor)
  }

  private mutating func plan(torch: SettingsChange.Light?, flash: SettingsChange.Light?) throws(CaptureError)
  {
    let lights = [
      (torch, map.torchModes, map.flashModes, Setting.torchMode, Setting.torchLevel),
      (flash, map.flashModes, map.torchModes, Setting.flashMode, Setting.flashLevel),
    ]
    // A light is switched off before the other is switched on, since one control may have both.
    for (light, modes, otherLight, setting, level) in lights.filter({ $0.0?.mode == .off })
      + lights.filter({ $0.0?.mode != .off })
    {
      guard let light else { continue }
      if light.level == 0, light.mode == .on || light.mode == .auto {
        throw CaptureError(
          .invalidArgument,
          "the light of \(camera) cannot be on at level 0: switch it off, or take more than 0",
          .init(.fieldsExclusive, field: CaptureError.field(of: level), asked: .number(0))
        )
      }
      if let value = light.level { try set(level, value) }
      guard let mode = light.mode else { continue }
      let others = setting == .torchMode ? software.torchModes : []
      if setting == .torchMode, !others.isEmpty { plan.software.torch = others.contains(mode) }
      if others.contains(mode) {
        // A torch that follows the scene is off at first.
        try enter(.off, modes, setting)
      } else if mode != .off || self.map.mode(modes, numbers) == .on && !isOn(otherLight) {
        try enter(mode, modes, setting, else: others)
      } else {
        // A light that is not on is left alone, because its control may have switched the other light on.
        plan.leftOff += switchesLeftOff(modes)
      }
    }
  }

  private func isOn(_ modes: [ControlMapping.Mode<LightMode>]) -> Bool {
    modes.contains { $0.mode == .on && $0.isFulfilled(by: numbers) }
  }

  private func switchesLeftOff(_ modes: [ControlMapping.Mode<LightMode>]) -> [SettingsPlan.LeftOff] {
    guard let on = modes.first(where: { $0.mode == .on }), let off = modes.first(where: { $0.mode == .off })
    else { return [] }
    return zip(on.existing, off.existing).compactMap { lit, unlit in
      guard let on = lit.row.value(for: lit.control), let off = unlit.row.value(for: unlit.control) else {
        return nil
      }
      return SettingsPlan.LeftOff(control: lit.control.id, on: .integer(on), off: .integer(off))
    }
  }

  // MARK: Steps

  private mutating func set(_ setting: Setting, _ value: Double) throws(CaptureError) {
    guard let mapped = map.values[setting], !mapped.isReadOnly else { throw unsettable(setting) }
    let set = add(mapped, try clamping.clamp(value, in: mapped.range, setting, by: camera))
    clamping.noteRounding(value, to: set, in: mapped.range, setting)
  }

  /// Adds the number that comes nearest to the value. Returns the value of that number.
  private mutating func add(_ mapped: SettingsMap.Mapped, _ value: Double) -> Double {
    let number = mapped.conversion.number(of: value, mapped.control)
    plan.values.append(SettingsPlan.Step(control: mapped.control.id, value: .integer(number)))
    return mapped.conversion.value(of: number, mapped.control) ?? value
  }

  /// Adds the switches of a mode that do not have their position already, and its button.
  private mutating func enter<Name: RawRepresentable<String>>(
    _ name: Name, _ modes: [ControlMapping.Mode<Name>], _ setting: Setting, else others: [Name] = []
  ) throws(CaptureError) {
    guard let mode = modes.first(where: { $0.mode == name }) else {
      let possible = (modes.map(\.mode.rawValue) + others.map(\.rawValue)).sorted()
      let text = possible.isEmpty ? "has none that can be set" : "has \(possible.joined(separator: ", "))"
      throw CaptureError(
        .invalidArgument, "\(setting) cannot be \(name.rawValue): \(camera) \(text)",
        .init(
          possible.isEmpty ? .notSupported : .valueNotPossible, field: CaptureError.field(of: setting),
          asked: .text(name.rawValue), possible: possible))
    }
    for (row, control) in mode.existing {
      let earlier = plan.switches.firstIndex { $0.control == control.id }
      let present = earlier.flatMap { plan.switches[$0].value.number } ?? numbers[control.id]
      guard let choice = row.value(for: control) else { continue }
      if let present, row.isFulfilled(by: present) {
        if earlier == nil {
          plan.alreadySet.append(SettingsPlan.Step(control: control.id, value: .integer(present)))
        }
        continue
      }
      let number = row.bits.map { (present ?? 0) & ~$0 | choice } ?? choice
      let step = SettingsPlan.Step(control: control.id, value: .integer(number))
      if let earlier { plan.switches[earlier] = step } else { plan.switches.append(step) }
    }
    if let button = mode.button { plan.buttons.append(.init(control: button, value: .integer(0))) }
  }

  // MARK: Refusals

  /// Refuses a change with another mode than `needed`. `field`: the field of the change that needs this mode, as "white_balance.gains".
  private func require<Name: RawRepresentable<String>>(
    _ mode: Name?, _ needed: Name, for field: String, _ what: String
  ) throws(CaptureError) where Name.RawValue == String {
    guard let mode, mode.rawValue != needed.rawValue else { return }
    throw CaptureError(
      .invalidArgument,
      "\(field) cannot be set with \(what) mode \(mode.rawValue): only with \(needed.rawValue)",
      .init(
        .fieldsExclusive, field: "change.\(field)", asked: .text(mode.rawValue), possible: [needed.rawValue]))
  }

  private func unsettable(_ setting: Setting) -> CaptureError { map.unsettable(setting, on: camera) }

  /// The refusal of a point of interest. No driver takes one; the node's own modes measure there.
  private func noPoint(_ setting: Setting, _ lack: String) -> CaptureError {
    CaptureError(
      .invalidArgument, "\(setting) cannot be set on \(camera): \(lack)",
      .init(.notSupported, field: CaptureError.field(of: setting)))
  }
}

extension SettingsMap {
  /// The refusal of a setting that cannot be set on the camera. It names the settings that can be set.
  package func unsettable(_ setting: Setting, on camera: String) -> CaptureError {
    let others = values.values.filter { !$0.isReadOnly }.map(\.setting.name).sorted()
    let text = others.isEmpty ? "it has no values to set" : "it can set \(others.joined(separator: ", "))"
    return CaptureError(
      .invalidArgument, "\(setting) cannot be set on \(camera): \(text)",
      .init(.notSupported, field: CaptureError.field(of: setting), possible: others))
  }
}

extension SettingsChange.WhiteBalance.Colour {
  /// The field of a change that has the colour.
  fileprivate var field: String {
    switch self {
    case .temperature: Setting.temperature.name
    case .gains: Setting.whiteBalanceGains.name
    case .greyWorld: "white_balance.grey_world"
    }
  }
}

extension ControlValue {
  /// The number, if the control has a single one.
  public var number: Int64? {
    if case .integer(let number) = self { return number }
    return nil
  }
}
