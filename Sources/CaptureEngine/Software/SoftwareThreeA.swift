import Capture3A
import CaptureControls
import CaptureImaging
import CaptureLoop
import CaptureModel
import CaptureSystem
import Synchronization

/// Focus, exposure and white balance by the node, for cameras that have the actuators but lack the modes, or the point of interest.
///
/// A queue of its own measures the frames of the running stream, the newest first if it is late. It measures none without a stream, or while no mode
/// is on. One task at a time sets the values that were found: when its turn comes, it takes all that are due. So a mode that was ended sets nothing
/// any more.
///
/// Each camera has one such object, attached to its device (``DeviceSettings/attach(_:)``); a camera without one has only its driver's modes. The
/// object gets the frames of every stream, except of a stream for a photo that takes the first frame without waiting: that stream ends before a mode
/// finds anything.
public final class SoftwareThreeA: FrameConsumer {
  let state = Mutex(State())
  private let isOn = Atomic<Bool>(false)
  private let queue: QueueExecutor
  private let meter = Mutex<FrameMeter?>(nil)
  private let device: Mutex<WeakDevice>

  private struct WeakDevice { weak var device: Device? }

  public init(of device: Device) {
    self.device = Mutex(WeakDevice(device: device))
    queue = QueueExecutor(label: "3a-\(device.id)", threads: .own)
  }

  // MARK: Requests

  /// The abilities that the software adds to a camera. `camera`: what the driver can do.
  public func abilities(beside camera: SettingsDescription) -> SoftwareAbilities {
    state.withLock { state in
      state.abilities = state.loop.abilities(beside: camera)
      return state.abilities
    }
  }

  /// The part of ``abilities(beside:)`` that changes with requests.
  public var kept: SoftwareAbilities.Kept { state.withLock { $0.loop.modes.kept } }

  /// Begins, changes or ends modes; returns the request that undoes that. It is called before the driver gets its part of the same change, and the
  /// caller holds the gate `settings`. So this must not call ``DeviceSettings/applyAutomation(_:)``, which waits for that gate.
  public func set(_ request: SoftwareRequest) async throws(CaptureError) -> SoftwareRequest {
    change { $0.begin(request) }
  }

  /// Resumes the modes that were on when the camera went or the node ended. A mode that is on already goes on, and gives the camera nothing back
  /// before it ends.
  func resume(_ request: SoftwareRequest) {
    _ = change { state in state.begin(state.loop.resuming(request)) }
  }

  /// The camera's own automatic modes that it has yet to get back, with the points, the range and the bias from before.
  var ownModes: SettingsChange { state.withLock { $0.loop.ownModes } }

  /// Adds to settings what the modes do and find: modes, points, `isAdjusting`, `isSoftware`, the target offset.
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

  /// Changes the state, and notes whether frames are wanted from then on. If none are, those that wait are dropped; their buffers are given back
  /// outside the lock.
  func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
    let (value, dropped) = state.withLock { state -> (Value, [WaitingFrame]) in
      let value = body(&state)
      isOn.store(state.loop.wantsFrames, ordering: .relaxed)
      return (value, state.loop.wantsFrames ? [] : state.waiting.removeAll())
    }
    withExtendedLifetime(dropped) {}
    return value
  }

  // MARK: Frames

  /// The software keeps no stream running: it only looks at frames that others want.
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
        state.loop.streamEnded()
        state.dropSteps()
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

  /// Whether the modes have found their values and a frame shows these: no mode searches, nothing has to be set back, and the frame has what the
  /// modes set last. `settings`: the frame's settings; `nil`: unknown.
  public func isSettled(_ settings: FrameSettings?) -> Bool {
    state.withLock { state in
      !state.loop.isSearching && !state.isSetting && !state.hasWork && state.loop.setBacks.isEmpty
        && settings.map { $0.change >= state.lastChange } ?? true
    }
  }

  /// How many frames of the stream the modes have judged; `nil`: no mode is on.
  public var judged: Int? { state.withLock { $0.loop.modes.isOn ? $0.loop.judged : nil } }

  /// The part of the exposure to give back after a search that the driver has not refused; `nil`: none.
  var unrefusedExposure: SettingsChange.Exposure? { state.withLock { $0.loop.unrefusedExposure } }

  /// The part of the exposure to give back that the driver has refused so far; `nil`: none.
  var refusedExposure: SettingsChange.Exposure? { state.withLock { $0.loop.refusedExposure } }

  /// Whether the modes have judged a frame of the running stream.
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
        change { $0.loop.setBacks.frameCame() }
        giveUp(error)
      }
    }
    queue.async { self.measureNext() }
  }

  /// Measures the light, colour and sharpness of a frame, which takes milliseconds. Throws `dataLoss` for a damaged frame, and other errors where
  /// such frames cannot be measured.
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
    let position = FrameTimeline.Applied.Position(
      sequence: frame.sequence,
      timestamp: frame.timestamp.monotonic(arrival: MonotonicClock.now()).nanoseconds)
    owner?.enqueue { $0.settings.automationChanged(in: position) }
  }

  var owner: Device? { device.withLock { $0.device } }
}
