public import CaptureModel
internal import Glibc

/// A change that has done its work: its modes are locked or at rest.
public struct Settled: Hashable, Sendable {
  /// The settings then.
  public var settings: CaptureModel.CameraSettings
  /// The number of the change.
  public var change: UInt64
  /// The first frame from which all of it holds; `nil`: the first frame of the next stream, since the camera does not stream now.
  public var frame: CaptureModel.AppliedChange.Position?
  /// How that frame is known.
  public var provenance: CaptureModel.Provenance
  /// The values that were set differently from what was asked for.
  public var clamped: [CaptureModel.ClampedValue]
}

extension Camera {
  /// How long modes may work, where a call does not say it: 10 s.
  public static let usualSettlingTime = Duration.seconds(10)

  /// Waits until a change has done its work: a mode that works once is done and locked, one that follows the scene is at rest, a zoom has arrived.
  /// `change`: what was asked for, which says which modes are waited for; `nil`: all of them, as after a profile or ``ConfigurableCamera/resetSettings()``. `limit`: in addition to the time that a smooth zoom takes.
  ///
  /// Throws `failedPrecondition` where a mode found nothing (`sceneUnsuitable`), or needs pictures and the camera does not stream (`notStreaming`),
  /// `aborted` where another client set another mode (`changeReplaced`), `unavailable` where the connection or the camera was lost, and `deadlineExceeded`
  /// where it still works after `limit`. In each case the change is made and stays.
  public func settle(
    after result: SettingsResult, of change: CaptureModel.SettingsChange? = nil,
    within limit: Duration = usualSettlingTime
  ) async throws(CaptureError) -> Settled {
    let progress = SettlingProgress(of: change)
    if !result.isStreaming, progress.needsStream(result.settings) {
      throw CaptureError(
        .failedPrecondition,
        "the change is made; but its mode works from pictures, and the camera does not stream: it begins with the next stream",
        .init(.notStreaming, device: info?.id.rawValue))
    }
    let limit = limit + (change?.rampTime(from: result.settings) ?? .zero)
    let (news, tell) = AsyncStream.makeStream(of: News.self)
    let reading = Task { await report(result.change, progress) { tell.yield($0) } }
    let timer = Task {
      try await Task.sleep(for: limit)
      tell.yield(.expired)
    }
    defer {
      reading.cancel()
      timer.cancel()
    }
    var wait = SettlingWait(progress, result)
    for await piece in news {
      guard let end = wait.add(piece, tell, limit) else { continue }
      var settled = try end.get()
      // Events tell of the groups alone that are waited for.
      settled.settings = try await settings()
      return settled
    }
    throw CaptureError.callCancelled
  }

  /// What is heard while a change settles.
  fileprivate enum News: Sendable {
    case applied(CaptureModel.AppliedChange)
    case event(SettingsEvent)
    /// Nothing has worked since the event of this number.
    case quiet(since: Int)
    case failed(CaptureError)
    case expired
  }

  /// Tells the first frame of a change, and then what the camera's modes do.
  private func report(_ change: UInt64, _ progress: SettlingProgress, _ tell: (News) -> Void) async {
    do throws(CaptureError) {
      tell(.applied(try await awaitChange(change, timeout: nil)))
      guard !progress.groups.isEmpty else { return }
      for try await event in settingsEvents(names: progress.groups.map(\.rawValue)) {
        if let pause = event.resumption {
          throw CaptureError(
            .unavailable,
            "\(pause.reason); the change was made before that, and nobody knows how it went on",
            .init(pause.cause == .cameraUnplugged ? .cameraUnplugged : .nodeUnreachable))
        }
        tell(.event(event.value))
      }
    } catch {
      tell(.failed(error))
    }
  }
}

/// The wait for a change that settles: what is known so far.
private struct SettlingWait {
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

  /// A mode of the camera itself tells late that it works, so it has to be at rest for this long.
  private static let quiet = Duration.milliseconds(400)

  /// Returns how the wait ends; `nil`: it goes on.
  mutating func add(
    _ news: Camera.News, _ tell: AsyncStream<Camera.News>.Continuation, _ limit: Duration
  ) -> Result<Settled, CaptureError>? {
    switch news {
    case .applied(let applied):
      (settled.frame, settled.provenance) = (applied.frame, applied.provenance)
      return progress.groups.isEmpty ? .success(settled) : nil
    case .event(let event): return add(event, tell)
    case .quiet(let number): return number == events ? .success(settled) : nil
    case .failed(let error): return .failure(error)
    case .expired:
      return .failure(
        CaptureError(
          .deadlineExceeded,
          "\(progress.words) after \(limit); the change is made, and the camera goes on with it",
          .init(.deadlineExceeded)))
    }
  }

  private mutating func add(_ event: SettingsEvent, _ tell: AsyncStream<Camera.News>.Continuation)
    -> Result<Settled, CaptureError>?
  {
    // How far the picture is off its target moves with the scene.
    let isOffsetAlone = event.changed == [Setting.exposureTargetOffset.rawValue]
    if !isOffsetAlone { events += 1 }
    if let frame = event.frame, frame.timestamp > settled.frame?.timestamp ?? 0 {
      (settled.frame, settled.provenance) = (frame, event.provenance)
    }
    switch progress.state(of: event.settings) {
    case .working: return nil
    case .resting:
      guard isStreaming, progress.isVague(event.settings) else { return .success(settled) }
      if isOffsetAlone { return nil }
      Task { [events] in
        try await Task.sleep(for: Self.quiet)
        tell.yield(.quiet(since: events))
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
  fileprivate func rampTime(from settings: CaptureModel.CameraSettings) -> Duration {
    guard let zoom, let rate = zoom.rate, let now = settings.zoom?.factor.value, now > 0, zoom.factor > 0
    else {
      return .zero
    }
    return .seconds(min(abs(log2(zoom.factor / now)) / rate, 86_400))
  }
}

extension SettingsResult {
  /// What the change has begun and not done yet: "focus", "exposure", "white balance", "zoom". ``Camera/settle(after:of:within:)`` waits for it.
  public func unfinished(of change: CaptureModel.SettingsChange? = nil) -> [String] {
    let working = SettlingProgress(of: change).working(settings).map { $0.rawValue.replacing("_", with: " ") }
    return working
      + (change.map { $0.zoom != nil } ?? true && settings.zoom?.isRamping == true ? ["zoom"] : [])
  }
}

extension SettlingProgress {
  /// "the focus still works"
  fileprivate var words: String {
    let names = groups.map { "the \($0.rawValue.replacing("_", with: " "))" }
    switch names.count {
    case 0: return "the change is not in the pictures yet"
    case 1: return "\(names[0]) still works"
    default: return "\(names.joined(separator: " and ")) still work"
    }
  }
}
