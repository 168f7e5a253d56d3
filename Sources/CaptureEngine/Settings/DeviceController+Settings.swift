import CaptureModel
import CaptureSystem

/// What a change of settings led to.
public struct SettingsOutcome: Sendable {
  /// For ``DeviceController/awaitChange(_:)``.
  public var change: UInt64
  /// As the driver says them afterwards.
  public var settings: CameraSettings
  /// The camera streams: some frame to come is the first that has it. Else the next stream's first has it.
  public var isStreaming: Bool
  /// What was not set as asked.
  public var clamped: [ClampedValue] = []
}

extension DeviceController {
  /// What the camera can do. `AVCaptureDevice`'s ranges and `is…Supported`.
  public func settingsDescription() async throws(CaptureError) -> SettingsDescription {
    let camera = try presentCamera()
    let known = try await knownControls(of: camera)
    var description = known.description
    if let lamp = lamp(known) { description.torch = lamp.description }
    description.add(abilities(known))
    description.flash = Self.flashDescription(description)
    let formats = try await formats()
    if let kind = ownZoomKind(known) {
      description.zoom = SettingsDescription.Zoom(
        maximum: Self.ownZooms.maximum, kind: kind, reason: settingsState.cropRefusal)
    }
    description.controls += usesBesideControls(known)
    description.frameDuration = stream.flatMap { $0.frameDuration(of: formats) } ?? formats.frameDurations
    return description
  }

  /// Settings as the driver says them now.
  public func settings() async throws(CaptureError) -> CameraSettings {
    let camera = try presentCamera()
    // Beside somebody who changes them it would find a half of that, and take it for the camera's own doing.
    let isAlone = settingTurn.tryEnter()
    defer { if isAlone { settingTurn.leave() } }
    var known = try await knownControls(of: camera)
    try await read(known.map.ids, into: &known, from: camera)
    return isAlone ? keep(known, of: camera) : reported(known)
  }

  /// Settings as they were last read or set: asks nobody.
  public func knownSettings() -> CameraSettings? {
    settingsState.known.map { reported($0) }
  }

  private func reported(_ known: KnownControls) -> CameraSettings {
    var settings = known.map.settings(known.numbers, asked: settingsState.asked)
    report(into: &settings, known)
    return settings
  }

  /// Adds what no control of the driver says.
  func report(into settings: inout CameraSettings, _ known: KnownControls) {
    if settings.torch == nil { settings.torch = settingsState.lamp?.settings }
    if let kind = ownZoomKind(known) {
      settings.zoom = CameraSettings.Zoom(factor: Observed(settingsState.ownZoom, .reported), kind: kind)
    }
    settings.zoom?.isRamping = settingsState.ramp != nil
    settings.frameDuration = settingsState.frameDuration
    reportAdjusting(into: &settings)
    settingsState.software?.report(into: &settings)
    reportFlash(into: &settings)
  }

  /// Every change's number is higher than that of those before it; 0: there was none.
  public var lastChange: UInt64 { settingsState.lastChange }

  /// Waits for the first frame that has a change; without a stream the next one's first frame has it.
  ///
  /// A zoom ramp is had by the frame in which it has arrived; bounds of frames' duration by the first of the stream that keeps to them; what no
  /// frame shows, as a mode of the node, by the first whose exposure begins after it. Throws `aborted` where a ramp was ended on its way.
  /// Throws `notFound` for a change that there was not, or not lately.
  public func awaitChange(_ change: UInt64) async throws(CaptureError) -> FrameTimeline.Applied {
    try await timeline.applied(change, latest: settingsState.lastChange, camera: name)
  }

  /// Frames between a change of a control and the first frame that has it. Set by calibration.
  public var delays: ControlDelays {
    settingsState.delays ?? ControlDelays(driver: camera?.description.driver ?? "")
  }

  /// As ``delays``; `nil` forgets it.
  public func setDelay(_ measured: MeasuredDelay?, of control: ControlID) {
    var delays = delays
    delays.set(measured?.frames, for: control)
    settingsState.delays = delays
    settingsState.known?.take(delays)
    memory.delays[control] = measured
  }

  /// What the least and the most gain of a camera without an ISO control are as ISO; linear between. The least is more than 0.
  public func setGainISO(_ range: ClosedRange<Double>?) {
    settingsState.gainISO = range
    settingsState.known = nil
  }

  // MARK: What is known

  /// The camera's controls: asked once, then kept up by what is set, read and announced.
  func knownControls(of camera: any Camera) async throws(CaptureError) -> KnownControls {
    if let known = settingsState.known, self.camera === camera, known.holds(for: frameWidth) { return known }
    // Whether the node can zoom follows from them.
    _ = try? await formats()
    let list = try await camera.controls()
    let lineControls = SettingsMap.lineControls.filter { id in list.contains { $0.id == id && $0.isReadable }
    }
    var lineTime: Double?
    let width = frameWidth
    if lineControls.count == 2, let width {
      let values = try await camera.values(of: lineControls)
      lineTime = SettingsMap.lineTime(
        values: Dictionary(uniqueKeysWithValues: zip(lineControls, values)), width: width)
    }
    var known = KnownControls(
      list, delays: delays, width: width, lineTime: lineTime, gainISO: settingsState.gainISO)
    try await read(known.map.ids, into: &known, from: camera)
    await askForCrop(of: camera, known)
    _ = keep(known, of: camera)
    return known
  }

  private var frameWidth: Int? { stream?.format.size.width }

  /// Reads controls' numbers. Returns all values, also those that are none.
  @discardableResult
  func read(_ ids: [ControlID], into known: inout KnownControls, from camera: any Camera)
    async throws(CaptureError) -> ControlKeyed<ControlValue>
  {
    guard !ids.isEmpty else { return [:] }
    let asked = timeline.latestTime
    let values = try await camera.values(of: ids)
    if known.map.movingIDs.allSatisfy(ids.contains) { known.asked = asked }
    for (id, value) in zip(ids, values) { known.numbers[id] = value.number }
    return ControlKeyed(uniqueKeysWithValues: zip(ids, values))
  }

  /// Remembers what was learnt; watchers are told what is new in it, once it is known which frame has that. `events`: what the camera told, and when.
  func keep(
    _ known: KnownControls, of camera: any Camera, events: [ControlID: UInt64] = [:]
  ) -> CameraSettings {
    let settings = reported(known)
    guard self.camera === camera else { return settings }
    settingsState.known = known
    var keys = settingsState.told?.differences(from: settings) ?? []
    settingsState.told = settings
    for id in events.keys where known.map.setting(of: id) == nil { keys.insert(.control(id)) }
    var finding = FrameTimeline.Finding(settings: known.map.frameSettings(settings), asked: known.asked)
    if !keys.isEmpty {
      settingsState.lastFinding += 1
      finding.number = settingsState.lastFinding
      settingsState.found[finding.number] = keys
    }
    finding.events = events.map { id, time in
      .init(settings: known.map.settings(of: id), time: time, delay: delays[id])
    }
    timeline.learn(finding, isZoomDigital: ownZoomKind(known) == .digital)
    followSearch(of: camera)
    return settings
  }

  /// Has what frames are to tell ready, as a rule before the first of them; waits for it only so long.
  func prepareSettings(of camera: any Camera) async {
    guard settingsState.known?.holds(for: frameWidth) != true else { return }
    let ending = Ending()
    Task {
      _ = try? await knownControls(of: camera)
      ending.end(nil)
    }
    let timer = Task {
      try await Task.sleep(for: Self.preparingPatience)
      ending.end(nil)
    }
    try? await ending.wait()
    timer.cancel()
  }

  /// The longest that a stream's start waits for what its frames' settings are.
  private static let preparingPatience = Duration.milliseconds(250)

  /// A camera came.
  func settingsAppeared(_ camera: any Camera) {
    settingsState.known = nil
    (settingsState.crop, settingsState.isCropAsked, settingsState.cropRefusal) = (nil, false, nil)
    var delays = ControlDelays(driver: camera.description.driver)
    for (control, measured) in memory.delays { delays.set(measured.frames, for: control) }
    settingsState.delays = delays
    Task {
      await camera.observeControls { [weak self] change in
        let now = MonotonicClock.now()
        self?.enqueue { $0.controlChanged(change, at: min(change.time ?? now, now), of: camera) }
      }
    }
  }

  /// It went: what was on its way will hold when it returns, but for a ramp.
  func settingsVanished(_ error: CaptureError) {
    settingsState.known = nil
    (settingsState.keys, settingsState.found, settingsState.events) = ([:], [:], [:])
    endRamp(error)
    timeline.forget()
  }
}

extension DeviceController.ActiveStream {
  /// Frame durations that its format and size have.
  fileprivate func frameDuration(of formats: [FormatDescription]) -> SettingsDescription.ValueRange? {
    frameIntervals(of: formats).map { ends in
      SettingsDescription.ValueRange(
        minimum: ends.lowerBound.seconds, maximum: ends.upperBound.seconds,
        defaultValue: (format.interval ?? ends.lowerBound).seconds)
    }
  }

  /// The shortest and the longest that its format and size have.
  func frameIntervals(of formats: [FormatDescription]) -> ClosedRange<FrameInterval>? {
    let sizes = formats.first { $0.pixelFormat == format.pixelFormat }?.sizes ?? []
    return sizes.first { $0.contains(format.size) }?.intervals.ends
  }
}

extension [FormatDescription] {
  /// From the shortest of any format to the longest, in seconds.
  var frameDurations: SettingsDescription.ValueRange? {
    frameIntervals.map { ends in
      SettingsDescription.ValueRange(
        minimum: ends.lowerBound.seconds, maximum: ends.upperBound.seconds,
        defaultValue: ends.lowerBound.seconds)
    }
  }

  /// The shortest of any format, and the longest.
  var frameIntervals: ClosedRange<FrameInterval>? {
    let ends = flatMap(\.sizes).compactMap(\.intervals.ends)
    guard let least = ends.map(\.lowerBound).min(), let most = ends.map(\.upperBound).max() else {
      return nil
    }
    return least...most
  }
}

extension IntervalOptions {
  fileprivate var ends: ClosedRange<FrameInterval>? {
    switch self {
    case .unknown: nil
    case .discrete(let intervals):
      intervals.min().flatMap { least in intervals.max().map { least...$0 } }
    case .range(let minimum, let maximum, _): minimum <= maximum ? minimum...maximum : nil
    }
  }
}

extension VideoRequest {
  /// Takes its rate into what frame durations allow.
  mutating func keep(to durations: SettingsChange.FrameDuration?) {
    guard let durations else { return }
    if let fastest = durations.minimum?.rate { rate = min(rate ?? fastest, fastest) }
    if let slowest = durations.maximum?.rate { rate = max(rate ?? slowest, slowest) }
  }
}
