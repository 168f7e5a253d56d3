public import CaptureModel

/// A change that has settled: its modes are locked or at rest.
public struct Settled: Hashable, Sendable {
  /// The settings then.
  public var settings: CaptureModel.CameraSettings
  /// The number of the change.
  public var change: UInt64
  /// The first frame that has all of it; `nil`: the first frame of the next stream, since the camera does not stream now.
  public var frame: CaptureModel.AppliedChange.Position?
  /// How that frame is known.
  public var provenance: CaptureModel.Provenance
  /// The values that were set differently from what was asked for.
  public var clamped: [CaptureModel.ClampedValue]
}

extension Camera {
  /// How long modes may adjust if a call does not say it: 10 s.
  public static let usualSettlingTime = Duration.seconds(10)

  /// Waits until a change has settled: a mode that adjusts once is locked, one that follows the scene is at rest, a zoom has arrived.
  /// `change`: what was asked for, which says which modes are waited for; `nil`: all of them, as after a profile. `limit`: in addition to the time that a
  /// smooth zoom takes.
  ///
  /// Throws `failedPrecondition` where a mode found nothing (`sceneUnsuitable`), or needs pictures and the camera does not stream (`notStreaming`),
  /// `aborted` where another client set another mode (`changeReplaced`), `unavailable` where the connection or the camera was lost, and `deadlineExceeded`
  /// where a mode is still adjusting after `limit`. In each case the change is made and stays.
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
    let (news, sender) = AsyncStream.makeStream(of: SettlingWait.News.self)
    let reading = Task { await report(result.change, progress) { sender.yield($0) } }
    let timer = Task {
      try await Task.sleep(for: limit)
      sender.yield(.expired)
    }
    defer {
      reading.cancel()
      timer.cancel()
    }
    var wait = SettlingWait(progress, result)
    for await piece in news {
      guard let end = wait.add(piece, sender, limit) else { continue }
      var settled = try end.get()
      // The events are only of the groups that are waited for.
      settled.settings = try await settings()
      return settled
    }
    throw CaptureError.callCancelled
  }

  /// Tells the first frame of a change, and then what the camera's modes do.
  private func report(_ change: UInt64, _ progress: SettlingProgress, _ send: (SettlingWait.News) -> Void)
    async
  {
    do throws(CaptureError) {
      send(.applied(try await awaitChange(change, timeout: nil)))
      guard !progress.groups.isEmpty else { return }
      for try await event in settingsEvents(names: progress.groups.map(\.rawValue)) {
        if let pause = event.resumption {
          throw CaptureError(
            .unavailable,
            "\(pause.reason); the change was made before that, and its outcome is unknown",
            .init(pause.cause == .cameraUnplugged ? .cameraUnplugged : .nodeUnreachable))
        }
        send(.event(event.value))
      }
    } catch {
      send(.failed(error))
    }
  }
}

extension SettingsResult {
  /// What the change has started and what has not finished yet: "focus", "exposure", "white balance", "zoom". ``Camera/settle(after:of:within:)`` waits for it.
  public func unfinished(of change: CaptureModel.SettingsChange? = nil) -> [String] {
    let working = SettlingProgress(of: change).adjustingGroups(settings).map {
      $0.rawValue.replacing("_", with: " ")
    }
    return working
      + (change.map { $0.zoom != nil } ?? true && settings.zoom?.isRamping == true ? ["zoom"] : [])
  }
}
