import CaptureControls
import CaptureModel

extension FrameDurationBounds {
  /// Makes the running stream keep to the bounds. It restarts the stream where that is necessary; its subscribers stay. Where the stream cannot keep to
  /// them, it goes on as it was.
  func keepStream(to change: UInt64, on device: isolated Device) async throws(CaptureError) {
    await context.gates.stream.enterToCleanUp()
    defer { context.gates.stream.leave() }
    let latest = bounds
    if let camera = context.camera.present, let stream = context.stream.active, let latest {
      let wanted = try await request(for: stream, within: latest)
      let needsRestart = wanted.interval != stream.format.interval && context.stream.isActive(stream)
      if needsRestart {
        try await restart(stream, as: wanted, of: camera, on: device)
        streamKeeps(to: latest)
        context.timeline.fulfilWithStream(change, .frameDuration)
        context.stream.reservation?.report(.reformatted, "")
        return
      }
    }
    streamKeeps(to: latest)
    let now = FrameTimeline.Part.fromNowOn()
    context.timeline.fulfil(change, .frameDuration, at: now.moment, delay: now.delay)
  }

  /// Restarts the stream as `wanted`, or else as it was. Throws the reason why it does not run as `wanted`.
  private func restart(
    _ stream: ActiveStream, as wanted: StreamRequest, of camera: any Camera, on device: isolated Device
  ) async throws(CaptureError) {
    await camera.stopStreaming()
    do throws(CaptureError) {
      try await device.restart(stream, as: wanted, of: camera, because: wanted.reason)
    } catch {
      let former = stream.request
      let isBack = (try? await device.restart(stream, as: former, of: camera, because: former.reason)) != nil
      if !isBack, context.stream.isActive(stream) { device.close(error) }
      throw error
    }
  }
}

extension StreamRequest {
  /// Why the frames change, for a person.
  fileprivate var reason: String { "frames come at \(interval.map(\.description) ?? "another rate") now" }
}
