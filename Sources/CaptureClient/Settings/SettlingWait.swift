internal import CaptureModel
internal import Glibc

/// The wait until a change has settled: what is known so far.
struct SettlingWait {
  /// What may happen while a change settles.
  enum News: Sendable {
    case applied(CaptureModel.AppliedChange)
    case event(SettingsEvent)
    /// No mode has been adjusting since the event of this number.
    case quiet(since: Int)
    case failed(CaptureError)
    case expired
  }

  private let progress: SettlingProgress
  private let isStreaming: Bool
  private var settled: Settled
  private var events = 0

  init(_ progress: SettlingProgress, _ result: SettingsResult) {
    (self.progress, isStreaming) = (progress, result.isStreaming)
    settled = Settled(
      settings: result.settings, change: result.change, frame: nil, provenance: .assumed,
      clamped: result.clamped)
  }

  /// How long no event may have come before a camera's own mode counts as settled: such a mode reports late that it adjusts.
  private static let quiet = Duration.milliseconds(400)

  /// Takes a piece of news. Returns the wait's outcome; `nil`: it goes on.
  mutating func add(
    _ news: News, _ sender: AsyncStream<News>.Continuation, _ limit: Duration
  ) -> Result<Settled, CaptureError>? {
    switch news {
    case .applied(let applied):
      (settled.frame, settled.provenance) = (applied.frame, applied.provenance)
      return progress.groups.isEmpty ? .success(settled) : nil
    case .event(let event): return add(event, sender)
    case .quiet(let number): return number == events ? .success(settled) : nil
    case .failed(let error): return .failure(error)
    case .expired:
      return .failure(
        CaptureError(
          .deadlineExceeded,
          "\(progress.words) after \(limit); the change was made, and the camera continues",
          .init(.deadlineExceeded)))
    }
  }

  private mutating func add(_ event: SettingsEvent, _ sender: AsyncStream<News>.Continuation)
    -> Result<Settled, CaptureError>?
  {
    // The target offset changes with the scene, so its events do not count.
    let isOffsetAlone = event.changed == [Setting.exposureTargetOffset.name]
    if !isOffsetAlone { events += 1 }
    if let frame = event.frame, frame.timestamp > settled.frame?.timestamp ?? 0 {
      (settled.frame, settled.provenance) = (frame, event.provenance)
    }
    switch progress.state(of: event.settings) {
    case .adjusting: return nil
    case .resting:
      guard isStreaming, progress.reportsLate(event.settings) else { return .success(settled) }
      if isOffsetAlone { return nil }
      Task { [events] in
        try await Task.sleep(for: Self.quiet)
        sender.yield(.quiet(since: events))
      }
      return nil
    case .failed(let reason):
      return .failure(CaptureError(.failedPrecondition, reason, .init(.sceneUnsuitable)))
    case .replaced:
      return .failure(
        CaptureError(
          .aborted, "another client has set another mode meanwhile", .init(.changeReplaced)))
    }
  }
}

extension SettingsChange {
  /// How long a smooth zoom takes; zero without one.
  func rampTime(from settings: CaptureModel.CameraSettings) -> Duration {
    guard let zoom, let rate = zoom.rate, let now = settings.zoom?.factor.value, now > 0, zoom.factor > 0
    else {
      return .zero
    }
    return .seconds(min(abs(log2(zoom.factor / now)) / rate, 86_400))
  }
}

extension SettlingProgress {
  /// "the focus is still adjusting"
  fileprivate var words: String {
    let names = groups.map { "the \($0.rawValue.replacing("_", with: " "))" }
    switch names.count {
    case 0: return "the change is not in the pictures yet"
    case 1: return "\(names[0]) is still adjusting"
    default: return "\(names.joined(separator: " and ")) are still adjusting"
    }
  }
}
