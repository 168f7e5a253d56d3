public import CaptureModel

/// A change that has settled: its modes are locked or at rest.
public struct Settled: Hashable, Sendable {
  /// The camera's settings when the change had settled.
  public var settings: CaptureModel.CameraSettings
  /// The number of the change.
  public var change: UInt64
  /// The first frame that has all of the change; `nil`: the first frame of the next stream, since the camera does not stream now.
  public var frame: CaptureModel.AppliedChange.Position?
  /// How that frame is known.
  public var provenance: CaptureModel.Provenance
  /// The values that were set differently from what was asked for.
  public var clamped: [CaptureModel.ClampedValue]
}

extension Camera {
  /// How long a call waits for modes that adjust, if it names no other limit: 10 s.
  public static let usualSettlingTime = Duration.seconds(10)

  /// Waits until a change has settled: a mode that adjusts once is locked, one that follows the scene is at rest, a zoom has arrived.
  /// `change`: the change that was asked for, whose modes alone are waited for; `nil`: all modes are, as after loading a profile. `limit`: how long
  /// the modes may adjust, in addition to the time that a smooth zoom takes.
  ///
  /// Throws `failedPrecondition` where a mode found nothing (`sceneUnsuitable`), or needs pictures and the camera does not stream (`notStreaming`),
  /// `aborted` where another client set another mode (`changeReplaced`), `unavailable` where the connection or the camera was lost, and
  /// `deadlineExceeded` where a mode is still adjusting after `limit`. In each case the change is made and stays.
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
      // The events report only the groups that are waited for, so all settings are read once more.
      settled.settings = try await settings()
      return settled
    }
    throw CaptureError.callCancelled
  }

  /// Sends the first frame of a change, and then the events of the camera's modes.
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
  /// The parts of the settings that the change has set in motion and that are not at rest yet: "focus", "exposure", "white balance", "zoom".
  /// ``Camera/settle(after:of:within:)`` waits for them.
  public func unfinished(of change: CaptureModel.SettingsChange? = nil) -> [String] {
    let working = SettlingProgress(of: change).adjustingGroups(settings).map {
      $0.rawValue.replacing("_", with: " ")
    }
    return working
      + (change.map { $0.zoom != nil } ?? true && settings.zoom?.isRamping == true ? ["zoom"] : [])
  }
}
