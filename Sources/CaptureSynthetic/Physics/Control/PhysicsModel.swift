import CaptureControls
import CaptureModel

/// The camera over time: when each control was set, and which settings each frame has. It makes no pictures.
///
/// Frame n's exposure starts at `start_n = t0 + n × interval`. A value that the camera took at time t is latched by the first frame with `start_n >=
/// t`, which is called k here. Frames from k + delay on have the value, where delay is that of the control (``PhysicsOptions/delay(of:)``). But a
/// value takes effect no sooner than an earlier change that switched its automatic mode off, and white balance values take effect in the order in
/// which they were set. A value that was set while no stream ran holds from frame 0 of the next stream. A change of the world holds from frame k.
///
/// The model reads no clock: its callers pass all times. Frames have to be asked for in their order.
struct PhysicsModel {
  private struct Change {
    var from: UInt64
    var apply: Kind
    enum Kind {
      case control(ControlID, Int64)
      case world(PhysicsWorld)
    }
  }

  let options: PhysicsOptions
  let table: [ControlDescription]
  /// The settings as they were set.
  private(set) var settings: PhysicsSettings
  /// The settings of the last frame.
  private(set) var inEffect: PhysicsSettings
  /// The world as it was set.
  private(set) var world = PhysicsWorld()
  private var worldInEffect = PhysicsWorld()
  /// Changes in the order of `from`.
  private var pending: [Change] = []
  private var schedule: FrameSchedule?
  private(set) var stream = -1
  private var next: UInt64 = 0
  private var lens: LensMotion
  private var automatic: CameraAutomation
  private var metering: Metering?

  init(_ options: PhysicsOptions) {
    self.options = options
    table = PhysicsControls.table(options)
    settings = PhysicsSettings(table)
    inEffect = settings
    lens = LensMotion(at: settings.lens, speed: options.lensSpeed)
    automatic = CameraAutomation()
    (world.light, world.illuminant) = (options.light, options.illuminant)
    worldInEffect = world
  }

  // MARK: Streams

  mutating func begin(_ schedule: FrameSchedule, _ metering: Metering) {
    applyAll()
    self.schedule = schedule
    self.metering = metering
    stream += 1
    next = 0
    lens = LensMotion(at: inEffect.lens, speed: options.lensSpeed)
    automatic = CameraAutomation()
  }

  mutating func end() {
    applyAll()
    schedule = nil
  }

  private mutating func applyAll() {
    for change in pending { apply(change) }
    pending = []
  }

  // MARK: Changes

  /// Takes a value at `time`. Returns which frames it affects.
  mutating func set(_ id: ControlID, _ value: Int64, at time: UInt64) -> PhysicsEffect {
    let latched = schedule?.firstBeginning(at: time) ?? 0
    let precedents = PhysicsControls.precedents(of: id)
    let effective = pending.reduce(schedule == nil ? 0 : latched + UInt64(options.delay(of: id))) {
      first, change in
      if case .control(let other, _) = change.apply, precedents.contains(other) {
        return max(first, change.from)
      }
      return first
    }
    settings.set(id, value)
    enqueue(Change(from: effective, apply: .control(id, value)))
    return PhysicsEffect(
      control: id, value: value, time: time, stream: schedule == nil ? stream + 1 : stream, latched: latched,
      effective: effective)
  }

  /// Sets the world. Returns the first frame that shows it; 0 while no stream runs.
  mutating func set(_ world: PhysicsWorld, at time: UInt64) -> UInt64 {
    let first = schedule?.firstBeginning(at: time) ?? 0
    self.world = world
    enqueue(Change(from: first, apply: .world(world)))
    return first
  }

  private mutating func enqueue(_ change: Change) {
    guard schedule != nil else { return apply(change) }
    let place = pending.lastIndex { $0.from <= change.from }.map { $0 + 1 } ?? 0
    pending.insert(change, at: place)
  }

  private mutating func apply(_ change: Change) {
    switch change.apply {
    case .control(let id, let value): inEffect.set(id, value)
    case .world(let world): worldInEffect = world
    }
  }

  /// The value that reading the control gives.
  func value(_ id: ControlID) -> Int64? { options.reportsAutomaticValues ? coming[id] : settings[id] }

  /// The settings that will be in effect once every pending change has been applied.
  private var coming: PhysicsSettings {
    var coming = inEffect
    for case .control(let id, let value) in pending.map(\.apply) { coming.set(id, value) }
    return coming
  }

  // MARK: Frames

  /// The true state of frame `sequence` of the stream. Frames between the last one and this one are skipped.
  mutating func expose(_ sequence: UInt64) -> PhysicsFrame {
    // At most 300 skipped frames are computed: more of them would change nothing.
    if sequence > next + 300 { next = sequence - 300 }
    while next < sequence { advance() }
    return advance()
  }

  @discardableResult
  private mutating func advance() -> PhysicsFrame {
    let schedule = schedule!
    let start = schedule.begin(next)
    let before = inEffect
    while let change = pending.first, change.from <= next {
      pending.removeFirst()
      apply(change)
    }
    // When a mode ends, the values that it chose stay set.
    if PhysicsControls.automations.contains(where: { before.isAutomatic($0) && !inEffect.isAutomatic($0) }) {
      settings = coming
    }
    let light = metering!.light(worldInEffect, zoom: inEffect.zoom, torch: inEffect.torch)
    automatic.adjust(
      &inEffect, light: light, illuminant: worldInEffect.illuminant,
      distance: metering!.scene.distance(at: PhysicsPoint(x: 0.5, y: 0.5), worldInEffect),
      interval: schedule.interval.seconds)
    if lens.target != inEffect.lens { lens.move(to: inEffect.lens, at: start) }
    let frame = frame(schedule, start: start)
    next += 1
    return frame
  }

  private func frame(_ schedule: FrameSchedule, start: UInt64) -> PhysicsFrame {
    let duration = min(Double(inEffect[.exposureAbsolute]!) * 1e-4, schedule.interval.seconds)
    var automation: PhysicsOptions.Automation = []
    if inEffect.isAutomatic(.autoExposure) { automation.insert(.exposure) }
    if inEffect.isAutomatic(.autoFocus) { automation.insert(.focus) }
    if inEffect.isAutomatic(.autoWhiteBalance) { automation.insert(.whiteBalance) }
    return PhysicsFrame(
      sequence: next, start: start, exposureDuration: duration, gain: inEffect[.gain]!,
      iso: SensorModel.iso(gain: inEffect[.gain]!),
      lensPosition: lens.position(at: start + UInt64(duration * 0.5e9)), lensTarget: lens.target,
      gains: inEffect.gains, zoom: inEffect.zoom, torch: inEffect.torch, world: worldInEffect,
      automation: automation)
  }
}
