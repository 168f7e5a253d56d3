import CaptureModel

/// Restarts a stream that was stopped for another format.
extension FormatSwitch {
  /// Restarts a stopped stream. Its consumers get frames from the first one that looks as before. If `before` says that the camera starts with such
  /// frames, they get frames at once. Returns whether the camera kept its controls and its first frame looked as before. Throws if the camera does
  /// not start. With `needsFrames`, also throws if the camera gives no frames.
  @discardableResult
  func resume(
    _ stream: ActiveStream, as wanted: StreamRequest, of camera: any Camera, _ before: FormerState,
    needsFrames: Bool = false, on device: isolated Device
  ) async throws(CaptureError) -> Bool {
    let run = Run(hub: stream.hub, pixelFormat: wanted.pixelFormat, before: before, withholdsFrames: true)
    stream.hub.withhold(exceptFrom: run.first)
    defer { stream.hub.offerToAll() }
    try stream.hub.join(run.first)
    do throws(CaptureError) {
      try await device.restart(stream, as: wanted, of: camera, because: before.reason, restores: false)
      try context.stream.active?.format.require(wanted, of: context.camera.name)
    } catch {
      stream.hub.leave(run.first)
      throw error
    }
    let isKept = await settings.restoreAfterRestart(before.values, on: camera)
    // If the camera starts as before, consumers get frames at once: to measure the first one takes as long as several frames.
    if isKept, before.startsAsBefore { stream.hub.offerToAll() }
    do throws(CaptureError) {
      return try await device.photos.frameAsBefore(in: run).wait.isFirstFrameAsBefore && isKept
    } catch {
      // If the stream gives no frames, it tells its subscribers itself.
      guard needsFrames else { return false }
      throw error
    }
  }
}
