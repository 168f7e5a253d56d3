import CaptureControls
import CaptureModel
import Synchronization

/// Which frame of a camera has which settings, and who waits to hear it. Asked on the capture queue, told by the device.
final class SettingsTimeline: Sendable {
  typealias Applied = FrameTimeline.Applied

  private enum Result {
    case open(Ending)
    case applied(Applied)
    /// Why it never came to be; `nil`: its call has told.
    case failed(CaptureError?)
  }
  private struct State {
    var timeline = FrameTimeline()
    /// By change, the latest ones.
    var results: [UInt64: Result] = [:]
    var oldest: UInt64 = 1
    var isZoomDigital = false
  }
  private let state = Mutex(State())
  /// Hears of changes that hold, on any thread. Must not block.
  private let tell: @Sendable ([Applied]) -> Void
  /// Hears that values which move by themselves are to be read again. As ``tell``.
  private let readAgain: @Sendable () -> Void
  /// Changes whose frame can be asked for.
  static let remembered: UInt64 = 256

  init(tell: @escaping @Sendable ([Applied]) -> Void, readAgain: @escaping @Sendable () -> Void) {
    self.tell = tell
    self.readAgain = readAgain
  }

  /// A frame came. Returns what it was taken with.
  func frame(_ sequence: UInt64, timestamp: UInt64, source: FrameTimestamp.Source? = nil) -> FrameSettings? {
    var settings: FrameSettings?
    var isReadingDue = false
    update { timeline in
      let applied = timeline.frame(sequence, timestamp: timestamp, source: source)
      settings = timeline.current
      isReadingDue = timeline.takeReadingDue()
      return applied
    }
    if isReadingDue { readAgain() }
    return settings
  }

  var isStreaming: Bool { state.withLock { $0.timeline.isStreaming } }
  var pacing: FramePacing? { state.withLock { $0.timeline.pacing } }

  /// What the latest frame has, or the next stream's first; `nil`: nothing is known.
  var current: FrameSettings? { state.withLock { $0.timeline.current } }

  /// The latest frame's timestamp; `nil`: none has come.
  var latestTime: UInt64? { state.withLock { $0.timeline.latestTime } }

  /// `isZoomDigital`: the zoom is done with frames once they are here.
  func learn(_ finding: FrameTimeline.Finding, isZoomDigital: Bool) {
    state.withLock { $0.isZoomDigital = isZoomDigital }
    update { $0.learn(finding) }
  }

  /// As with ``learn(_:isZoomDigital:)``, from now on.
  func zoomsDigitally() { state.withLock { $0.isZoomDigital = true } }

  /// What the node's zoom is to keep of a frame.
  func digitalZoom(of settings: FrameSettings?) -> PictureTransform {
    guard let factor = settings?.zoomFactor?.value, factor > 1, state.withLock({ $0.isZoomDigital }) else {
      return .identity
    }
    return (try? PictureTransform(cropFactor: factor)) ?? .identity
  }
  func forget() { update { $0.forget() } }
  func streamStarted(interval: FrameInterval?) {
    state.withLock { $0.timeline.streamStarted(interval: interval) }
  }
  func streams(at interval: FrameInterval?) { state.withLock { $0.timeline.streams(at: interval) } }
  func streamEnded() { update { $0.streamEnded() } }
  func interrupted() { state.withLock { $0.timeline.interrupted() } }

  func begin(_ change: UInt64, _ settings: [Setting]) {
    state.withLock { state in
      state.timeline.begin(change, settings)
      guard change > 0 else { return }
      state.results[change] = .open(Ending())
      while change >= state.oldest + Self.remembered {
        // One that still waits is kept: it ends with its stream at the latest.
        if case .open? = state.results[state.oldest] { break }
        state.results[state.oldest] = nil
        state.oldest += 1
      }
    }
  }

  func set(_ change: UInt64, _ parts: [FrameTimeline.Part]) {
    state.withLock { $0.timeline.set(change, parts) }
  }

  func end(_ change: UInt64, _ values: FrameSettings) { update { $0.end(change, values) } }

  /// The change has a part that is still to come, see ``fulfil(_:_:at:delay:)``.
  func promise(_ change: UInt64, _ setting: Setting) {
    state.withLock { $0.timeline.promise(change, setting) }
  }

  func fulfil(_ change: UInt64, _ setting: Setting, at moment: ControlMoment, delay: ControlDelay) {
    update { $0.fulfil(change, setting, at: moment, delay: delay) }
  }

  func fulfilWithStream(_ change: UInt64, _ setting: Setting) {
    update { $0.fulfilWithStream(change, setting) }
  }

  /// What was set was set back; with `error` those who wait for the frame are told why there is none.
  func abandon(_ change: UInt64, _ error: CaptureError? = nil) {
    state.withLock { $0.timeline.abandon(change) }
    fail(change, error)
  }

  /// What was promised does not come; what was set holds. Those who wait for all of it are told why.
  func interrupt(_ change: UInt64, _ error: CaptureError) {
    fail(change, error)
    update { $0.interrupt(change) }
  }

  private func fail(_ change: UInt64, _ error: CaptureError?) {
    let ending = state.withLock { state -> Ending? in
      guard case .open(let ending)? = state.results[change] else { return nil }
      state.results[change] = .failed(error)
      return ending
    }
    ending?.end(nil)
  }

  /// Waits for the first frame that has a change. `latest`: the last change there was.
  func applied(_ change: UInt64, latest: UInt64, camera: String) async throws(CaptureError) -> Applied {
    while true {
      let result = state.withLock { $0.results[change] }
      switch result {
      case .applied(let applied): return applied
      case .open(let ending):
        try await ending.wait()
        try CaptureError.checkCancellation()
      case .failed(let error?): throw error
      case .failed(nil), nil:
        let text =
          latest == 0
          ? "nothing was changed yet" : "the latest is \(latest), and \(Self.remembered) are remembered"
        throw CaptureError(.notFound, "\(camera) knows no change \(change); \(text)")
      }
    }
  }

  private func update(_ body: (inout FrameTimeline) -> [Applied]) {
    let (applied, endings) = state.withLock { state -> ([Applied], [Ending]) in
      let applied = body(&state.timeline)
      guard !applied.isEmpty else { return ([], []) }
      var endings: [Ending] = []
      for change in applied where change.change > 0 {
        if case .open(let ending)? = state.results[change.change] { endings.append(ending) }
        state.results[change.change] = .applied(change)
      }
      return (applied, endings)
    }
    guard !applied.isEmpty else { return }
    for ending in endings { ending.end(nil) }
    tell(applied)
  }
}
