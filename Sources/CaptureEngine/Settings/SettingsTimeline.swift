import CaptureControls
import CaptureModel
import Synchronization

/// Tells which frame of a camera has which settings, and lets tasks wait for such a frame. The capture thread asks it; the device tells it which
/// values are set.
final class SettingsTimeline: Sendable {
  typealias Applied = FrameTimeline.Applied

  fileprivate enum Result {
    case open(Open)
    case applied(Applied)
    /// The change failed, for this reason; `nil`: the call that made the change has thrown the reason.
    case failed(CaptureError?)
  }
  /// A change that waits for its first frame. Those who wait for it get its result from here: by the time they go on, the change may be forgotten.
  fileprivate final class Open: Sendable {
    let ending = Ending()
    let result = Mutex<Result?>(nil)
  }
  fileprivate struct State {
    var timeline = FrameTimeline()
    /// The results of the changes that wait for their first frame, and of the latest that have ended, by the number of the change.
    var results: [UInt64: Result] = [:]
    /// The changes in `results` that wait for no frame any more, in the order in which they ended.
    var ended: [UInt64] = []
    /// How many changes wait for their first frame.
    var waiting: Int { results.count - ended.count }
    var isZoomDigital = false
    var restorations: UInt32 = 0
  }
  private let state = Mutex(State())
  private let mostWaiting: Int
  /// Called with changes whose first frame is known, on any thread. It must not block.
  private let report: @Sendable ([Applied]) -> Void
  /// Called when values that move by themselves have to be read again, on any thread. It must not block.
  private let readAgain: @Sendable () -> Void
  /// How many changes are remembered after they have ended, so that clients can still ask for their first frame.
  static let remembered = NodeLimit.rememberedChangesPerCamera.usual

  /// `mostWaiting`: how many changes may wait for their first frame at once.
  init(
    mostWaiting: Int = NodeLimit.waitingChangesPerCamera.usual,
    report: @escaping @Sendable ([Applied]) -> Void, readAgain: @escaping @Sendable () -> Void
  ) {
    self.mostWaiting = mostWaiting
    self.report = report
    self.readAgain = readAgain
  }

  /// Notes a frame. Returns the settings with which it was taken.
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

  /// The settings of the latest frame, or else those of the next stream's first; `nil`: nothing is known.
  var current: FrameSettings? { state.withLock { $0.timeline.current } }

  /// The latest frame's timestamp; `nil`: none has come.
  var latestTime: UInt64? { state.withLock { $0.timeline.latestTime } }

  /// Takes in what was read from the camera. `isZoomDigital`: the node zooms, by cutting frames.
  func learn(_ reading: FrameTimeline.Reading, isZoomDigital: Bool) {
    state.withLock { $0.isZoomDigital = isZoomDigital }
    update { $0.learn(reading) }
  }

  /// How often the camera came, or came back, and got the settings that the node had kept of it.
  var restorations: UInt32 { state.withLock { $0.restorations } }
  func noteRestoration() { state.withLock { $0.restorations += 1 } }

  /// Tells that the node zooms from now on, by cutting frames.
  func noteDigitalZoom() { state.withLock { $0.isZoomDigital = true } }

  /// Returns the part of a frame that the node's zoom keeps.
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
  func setInterval(_ interval: FrameInterval?) { state.withLock { $0.timeline.setInterval(interval) } }
  func streamEnded() { update { $0.streamEnded() } }
  func interrupted() { state.withLock { $0.timeline.interrupted() } }

  /// Throws `resourceExhausted` if the greatest allowed number of changes waits for a first frame, since no frames come.
  func requireRoom(on camera: String) throws(CaptureError) {
    let waiting = state.withLock { $0.waiting }
    guard waiting >= mostWaiting else { return }
    throw NodeLimit.waitingChangesPerCamera.exceeded(
      bound: mostWaiting,
      "\(waiting) changes of \(camera) wait for their first frame; wait until frames come, or end the streams of the camera"
    )
  }

  /// Returns those of the changes that wait for their first frame.
  func waiting(among changes: [UInt64]) -> [UInt64] {
    state.withLock { state in
      changes.filter { if case .open = state.results[$0] { true } else { false } }
    }
  }

  func begin(_ change: UInt64, _ settings: [Setting]) {
    state.withLock { state in
      state.timeline.begin(change, settings)
      guard change > 0 else { return }
      state.results[change] = .open(Open())
      state.forgetOldest()
    }
  }

  func set(_ change: UInt64, _ parts: [FrameTimeline.Part]) {
    state.withLock { $0.timeline.set(change, parts) }
  }

  func end(_ change: UInt64, _ values: FrameSettings) { update { $0.end(change, values) } }

  /// Tells that a part of the change comes later: ``fulfil(_:_:at:delay:)`` tells when.
  func promise(_ change: UInt64, _ setting: Setting) {
    state.withLock { $0.timeline.promise(change, setting) }
  }

  func fulfil(_ change: UInt64, _ setting: Setting, at moment: ControlMoment, delay: ControlDelay) {
    update { $0.fulfil(change, setting, at: moment, delay: delay) }
  }

  func fulfilWithStream(_ change: UInt64, _ setting: Setting) {
    update { $0.fulfilWithStream(change, setting) }
  }

  /// Tells that a change was reverted. Tasks that wait for its frame get `error`; `nil`: they get `notFound`, since the call that made the change has
  /// thrown the reason.
  func abandon(_ change: UInt64, _ error: CaptureError? = nil) {
    state.withLock { $0.timeline.abandon(change) }
    fail(change, error)
  }

  /// Tells that the promised part of a change does not come, while its other parts hold. Tasks that wait for its frame get `error`.
  func breakPromise(of change: UInt64, _ error: CaptureError) {
    fail(change, error)
    update { $0.breakPromise(of: change) }
  }

  private func fail(_ change: UInt64, _ error: CaptureError?) {
    let ended = state.withLock { $0.end(change, .failed(error)) }
    ended?.ending.end(nil)
  }

  /// Waits for the first frame that has a change. `latest`: the number of the latest change.
  func applied(_ change: UInt64, latest: UInt64, camera: String) async throws(CaptureError) -> Applied {
    var result = state.withLock { $0.results[change] }
    if case .open(let open)? = result {
      try await open.ending.wait()
      try CaptureError.checkCancellation()
      result = open.result.withLock { $0 }
    }
    switch result {
    case .applied(let applied): return applied
    case .failed(let error?): throw error
    case .failed(nil), .open, nil:
      let text =
        latest == 0
        ? "nothing was changed yet" : "the latest is \(latest), and \(Self.remembered) are remembered"
      throw CaptureError(
        .notFound, "\(camera) knows no change \(change); \(text)",
        .init(.unknownName, field: "change", asked: .number(Double(change))))
    }
  }

  private func update(_ body: (inout FrameTimeline) -> [Applied]) {
    let (applied, ended) = state.withLock { state -> ([Applied], [Open]) in
      let applied = body(&state.timeline)
      guard !applied.isEmpty else { return ([], []) }
      return (applied, applied.compactMap { state.end($0.change, .applied($0)) })
    }
    guard !applied.isEmpty else { return }
    for open in ended { open.ending.end(nil) }
    report(applied)
  }
}

extension SettingsTimeline.State {
  /// Notes the result of a change. Returns the change, so that the caller can wake those who wait for it; `nil`: it did not wait for a frame.
  fileprivate mutating func end(_ change: UInt64, _ result: SettingsTimeline.Result)
    -> SettingsTimeline.Open?
  {
    guard case .open(let open)? = results[change] else { return nil }
    open.result.withLock { $0 = result }
    results[change] = result
    ended.append(change)
    return open
  }

  fileprivate mutating func forgetOldest() {
    let excess = ended.count - SettingsTimeline.remembered
    guard excess > 0 else { return }
    for change in ended.prefix(excess) { results[change] = nil }
    ended.removeFirst(excess)
  }
}
