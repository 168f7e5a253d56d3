import Capture3A
import CaptureControls
import CaptureImaging
import CaptureLoop
import CaptureModel
import CaptureSystem
import Synchronization

/// Focus, exposure and white balance by the node, for cameras that have the actuators but lack the modes, or the point of interest.
///
/// A queue of its own measures the frames of the running stream, the newest first if it is late. It measures none without a stream, or while no mode is
/// on. One task at a time sets the values that were found: when its turn comes, it takes all that are due. So a mode that was ended sets nothing any more.
///
/// Each camera has one, attached to its device (``DeviceSettings/attach(_:)``); without one it has only its driver's modes. It sees the frames of every
/// stream, except of one for a photo that takes the first frame without waiting: that stream ends before a mode finds anything.
public final class SoftwareThreeA: FrameConsumer {
  fileprivate struct WaitingFrame: Sendable {
    var frame: Frame
    var settings: FrameSettings?
    /// The number of its stream: how many streams had ended before it.
    var stream: Int
  }
  fileprivate struct State {
    var loop = SoftwareLoop()
    var abilities = SoftwareAbilities()
    var waiting = Backlog<WaitingFrame>(capacity: 2)
    var isMeasuring = false
    /// The change to set, and the settings to keep afterwards.
    var due = SettingsChange()
    var settled: [Setting] = []
    /// Delays that were learned, and that the device gets before anything else is set.
    var delays: [SoftwareLoop.ObservedDelay] = []
    var isSetting = false
    /// The latest task that sets what is due.
    var settingTask: Task<Void, Never>?
    var failures = 0
    /// The change that it made last.
    var lastChange: UInt64 = 0
    var measured: UInt64 = 0
    /// How many streams have ended.
    var streamsEnded = 0
  }
  private let state = Mutex(State())
  private let isOn = Atomic<Bool>(false)
  private let queue: QueueExecutor
  private let meter = Mutex<FrameMeter?>(nil)
  private let device: Mutex<WeakDevice>

  private struct WeakDevice { weak var device: Device? }
  /// After this many refusals in a row the modes end.
  private static let mostRefusals = 5

  public init(of device: Device) {
    self.device = Mutex(WeakDevice(device: device))
    queue = QueueExecutor(label: "3a-\(device.id)", threads: .own)
  }

  // MARK: Requests

  /// The abilities that it adds to a camera. `camera`: what the driver can do.
  public func abilities(beside camera: SettingsDescription) -> SoftwareAbilities {
    state.withLock { state in
      state.abilities = state.loop.abilities(beside: camera)
      return state.abilities
    }
  }

  /// The part of ``abilities(beside:)`` that changes with requests.
  public var kept: SoftwareAbilities.Kept { state.withLock { $0.loop.modes.kept } }

  /// Begins, changes or ends modes; returns the request that undoes that. It is called before the driver gets its part of the same change, in the turn
  /// of those that change settings: it must not call ``DeviceSettings/applyAutomation(_:)`` before it returns.
  public func set(_ request: SoftwareRequest) async throws(CaptureError) -> SoftwareRequest {
    change { state in
      let owed = state.dropWork(replacedBy: request)
      // A camera that was away no longer has the earlier settings.
      (state.failures, state.lastChange) = (0, 0)
      var undo = state.loop.apply(request)
      undo.exposure?.owed = owed
      return undo
    }
  }

  /// Adds what it does and finds to settings: modes, points, `isAdjusting`, `isSoftware`, the target offset.
  public func report(into settings: inout CameraSettings) {
    change { state in
      state.loop.note(settings)
      state.loop.report.add(to: &settings, state.abilities)
    }
  }

  /// Begins or ends measuring and reporting how far the exposure is off its target, whether the driver or the node exposes, because a client watches
  /// it.
  public func measureOffset(_ measures: Bool) {
    change { state in
      if state.loop.measuresOffset != measures { state.loop.measuresOffset = measures }
    }
  }

  /// Changes the state, and notes whether frames are wanted from then on. If none are, those that wait are dropped; their buffers are given back outside the
  /// lock.
  private func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
    let (value, dropped) = state.withLock { state -> (Value, [WaitingFrame]) in
      let value = body(&state)
      isOn.store(state.loop.wantsFrames, ordering: .relaxed)
      return (value, state.loop.wantsFrames ? [] : state.waiting.removeAll())
    }
    withExtendedLifetime(dropped) {}
    return value
  }

  // MARK: Frames

  /// It only looks at frames that others want.
  package var keepsStreamRunning: Bool { false }
  package var holder: String { "the node's own modes" }

  package func wants(_ moment: FrameMoment) -> Bool { wantsFrames }

  package var wantsFrames: Bool { isOn.load(ordering: .relaxed) }

  package func take(_ taken: TakenFrame) -> NextFrame {
    guard wantsFrames else { return .stay }
    let (replaced, begins) = state.withLock { state -> ([WaitingFrame], Bool) in
      guard state.loop.wantsFrames else { return ([], false) }
      defer { state.isMeasuring = true }
      let next = WaitingFrame(frame: taken.frame, settings: taken.settings, stream: state.streamsEnded)
      return (state.waiting.append(next), !state.isMeasuring)
    }
    _ = replaced
    if begins { queue.async { self.measureNext() } }
    return .stay
  }

  package func streamEvent(_ event: StreamEvent) {
    if case .interrupted = event { return }
    let dropped = change { state -> [WaitingFrame] in
      if case .ended = event {
        state.streamsEnded += 1
        let before = state.loop.streamEnded()
        if !before.isEmpty { state.due.exposure = before.exposure }
        startSetting(&state)
      }
      return state.waiting.removeAll()
    }
    withExtendedLifetime(dropped) {}
  }

  /// Whether a frame's scene is so dark that a lamp helps; `nil`: the frame cannot be measured.
  public func isDark(_ frame: Frame, takenWith settings: FrameSettings?) -> Bool? {
    guard let statistics = try? measure(frame) else { return nil }
    return state.withLock { state in
      var actuators = state.loop.actuators
      actuators.adapt(to: frame.format)
      return actuators.brightness(of: statistics, takenWith: settings).isDark
    }
  }

  /// Whether the modes have found their values and a frame shows these: no mode searches, and the frame has what they set last. `settings`: the frame's;
  /// `nil`: unknown.
  public func isSettled(_ settings: FrameSettings?) -> Bool {
    state.withLock { state in
      !state.loop.isSearching && !state.isSetting && !state.hasWork
        && settings.map { $0.change >= state.lastChange } ?? true
    }
  }

  /// How many frames of the stream its modes have judged; `nil`: none of them is on.
  public var judged: Int? { state.withLock { $0.loop.modes.isOn ? $0.loop.judged : nil } }

  /// The exposure that the camera gets back from a search, which has borrowed it; `nil`: none has.
  var owedExposure: SettingsChange.Exposure? { state.withLock { $0.loop.owedExposure(due: $0.due) } }

  /// Whether a stream runs of which it has judged a frame.
  var seesFrames: Bool { state.withLock { $0.loop.judged > 0 } }

  /// How many frames were measured since the node began.
  var measured: UInt64 { state.withLock { $0.measured } }
  /// Whether nothing waits to be measured or set.
  var isIdle: Bool { state.withLock { !$0.isMeasuring && !$0.isSetting } }

  /// Measures the next frame that waits, and has the modes judge it.
  private func measureNext() {
    let next = state.withLock { state in
      let next = state.waiting.popFirst()
      state.isMeasuring = next != nil
      return next
    }
    guard let next else { return }
    do throws(CaptureError) {
      judge(try measure(next.frame), next)
    } catch {
      // A damaged frame counts as missing.
      if error.code != .dataLoss {
        measureOffset(false)
        giveUp(error)
      }
    }
    queue.async { self.measureNext() }
  }

  /// Measures the light, colour and sharpness of a frame, which takes milliseconds. Throws `dataLoss` for a damaged frame, and other errors where such
  /// frames cannot be measured.
  package func measure(_ frame: Frame) throws(CaptureError) -> FrameStatistics {
    try meter.withLock { meter throws(CaptureError) in
      let present = meter ?? FrameMeter()
      meter = present
      return try present.measure(frame)
    }
  }

  private func judge(_ statistics: FrameStatistics, _ next: WaitingFrame) {
    let isNews = change { state -> Bool in
      state.measured += 1
      guard next.stream == state.streamsEnded else { return false }
      let before = state.loop.report
      let outcome = state.loop.observe(statistics, of: next.frame.format, takenWith: next.settings)
      state.add(outcome)
      startSetting(&state)
      return state.loop.report != before
    }
    if isNews { reportNews(in: next.frame) }
  }

  private func reportNews(in frame: Frame) {
    let stamp = frame.timestamp
    let position = FrameTimeline.Applied.Position(
      sequence: frame.sequence,
      timestamp: stamp.clock == .monotonic ? stamp.nanoseconds : MonotonicClock.now())
    owner?.enqueue { $0.settings.automationChanged(in: position) }
  }

  private var owner: Device? { device.withLock { $0.device } }

  // MARK: Setting

  /// Takes the values that were found and are not set yet. The caller holds the gate `settings` and sets them. If a search has borrowed the exposure, they
  /// include the exposure from before. A change of the torch stays with the software, which sets it.
  func takeUnsetValues() -> SettingsChange {
    state.withLock { state in
      state.loop.returnExposure(in: &state.due, isOver: true)
      var due = state.takeDue()
      state.due.torch = due.torch.take()
      return due
    }
  }

  /// Takes values back that were taken as unset and that the driver refused. They are due after the next frame. If a search still goes on, an exposure from
  /// before it is due only when the search is over.
  func putBack(_ values: SettingsChange) {
    change { state in
      let newer = state.due
      state.due = values
      if values.exposure != .init(), state.loop.owedExposure(due: values) != nil {
        var request = SoftwareRequest()
        request.exposure = .init()
        request.exposure?.owed = values.exposure
        _ = state.loop.apply(request)
        state.due.exposure = .init()
      }
      state.addDue(newer)
    }
  }

  /// Waits until the values that were found so far are set.
  func waitUntilSet() async { await state.withLock { $0.settingTask }?.value }

  /// Begins to set the values that were found, if that has not begun.
  private func startSetting(_ state: inout State) {
    guard !state.isSetting, state.hasWork else { return }
    state.isSetting = true
    state.settingTask = Task { await setDueValues() }
  }

  private func setDueValues() async {
    while let owner, let settled = state.withLock({ $0.nextTurn() }) {
      do throws(CaptureError) {
        for delay in state.withLock({ $0.takeDelays() }) {
          await owner.run { $0.settings.observeDelay(delay.frames, of: delay.setting) }
        }
        let outcome = try await owner.run { device throws(CaptureError) in
          try await device.settings.applyAutomation { self.state.withLock { $0.takeDue() } }
        }
        if !settled.isEmpty { await owner.run { await $0.settings.saveFoundValues(of: settled) } }
        state.withLock { state in
          state.failures = 0
          state.lastChange = outcome?.change ?? state.lastChange
        }
      } catch {
        // Without the camera there are no frames either.
        guard error.code != .unavailable, error.code != .cancelled else { continue }
        let failures = state.withLock { state in
          state.failures += 1
          return state.failures
        }
        if failures >= Self.mostRefusals { giveUp(error) }
      }
    }
  }

  /// Ends every mode, because frames of this camera cannot be measured or it refuses values: a search is undone, and an automatic torch is switched off.
  private func giveUp(_ error: CaptureError) {
    let (wasOn, hadTorch) = change { state in
      let before = (state.loop.modes.isOn, state.loop.modes.torch)
      (state.due, state.settled, state.failures) = (state.loop.stop(error.message), [], 0)
      startSetting(&state)
      return before
    }
    guard wasOn else { return }
    owner?.enqueue { device in
      let torch = hadTorch ? ", and the torch is no longer automatic" : ""
      device.context.camera.note(
        .automationEnded, "focus, exposure and white balance stay as they are\(torch): \(error.message)")
      device.settings.automationChanged()
      if hadTorch { Task { await device.settings.endAutomaticTorch(isBlind: true) } }
    }
  }
}

extension SoftwareThreeA.State {
  /// Adds an outcome to the work that is due.
  fileprivate mutating func add(_ outcome: SoftwareLoop.Outcome) {
    addDue(outcome.change)
    settled += outcome.settled
    delays += outcome.delays
  }

  /// Adds a change to the one that is due. The newest value of each setting counts.
  fileprivate mutating func addDue(_ change: SettingsChange) {
    due.focus.lensPosition = change.focus.lensPosition ?? due.focus.lensPosition
    due.exposure.duration = change.exposure.duration ?? due.exposure.duration
    due.exposure.gain = change.exposure.gain ?? due.exposure.gain
    if change.whiteBalance.colour != nil { due.whiteBalance = change.whiteBalance }
    due.torch = change.torch ?? due.torch
  }

  fileprivate var hasWork: Bool { !due.isEmpty || !settled.isEmpty || !delays.isEmpty }

  fileprivate mutating func takeDelays() -> [SoftwareLoop.ObservedDelay] {
    defer { delays = [] }
    return delays
  }

  /// Removes the values of modes that a request replaces. Returns the exposure that the camera has to get back if the request is undone.
  fileprivate mutating func dropWork(replacedBy request: SoftwareRequest) -> SettingsChange.Exposure? {
    var owed: SettingsChange.Exposure?
    if let focus = request.focus, focus.mode != nil || focus.releases {
      due.focus = .init()
      settled.removeAll { $0 == .lensPosition }
    }
    if let exposure = request.exposure, exposure.mode != nil || exposure.releases {
      owed = loop.owedExposure(due: due)
      due.exposure = .init()
      settled.removeAll { $0 == .exposureDuration || $0 == .gain }
    }
    if request.whiteBalance != nil {
      due.whiteBalance = .init()
      settled.removeAll { $0 == .temperature || $0 == .whiteBalanceGains }
    }
    if request.torch != nil { due.torch = nil }
    return owed
  }

  fileprivate mutating func takeDue() -> SettingsChange {
    defer { due = SettingsChange() }
    return due
  }

  /// Begins a turn. Returns the settings whose values are saved after it; `nil`: there is nothing to set.
  fileprivate mutating func nextTurn() -> [Setting]? {
    isSetting = hasWork
    defer { settled = [] }
    return isSetting ? settled : nil
  }
}
