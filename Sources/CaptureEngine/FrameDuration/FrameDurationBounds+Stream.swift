import CaptureControls
import CaptureModel

extension FrameDurationBounds {
  /// Makes the running stream keep to the bounds. It restarts the stream where that is necessary; its subscribers stay. Where the stream cannot keep to
  /// them, it goes on as it was.
  func keepStream(to change: UInt64, on device: isolated Device) async throws(CaptureError) {
    await context.gates.stream.enterToCleanUp()
    defer { context.gates.stream.leave() }
    let (latest, timeline) = (bounds, context.timeline)
    guard let camera = context.camera.present, let stream = context.stream.active, let durations = latest,
      case let wanted = try await request(for: stream, within: durations),
      wanted.interval != stream.format.interval, context.stream.isActive(stream)
    else {
      streamKeeps(to: latest)
      let now = FrameTimeline.Part.fromNowOn()
      return timeline.fulfil(change, .frameDuration, at: now.moment, delay: now.delay)
    }
    await camera.stopStreaming()
    do throws(CaptureError) {
      try await device.restart(stream, as: wanted, of: camera, because: wanted.reason)
    } catch {
      let former = stream.request
      let isBack = (try? await device.restart(stream, as: former, of: camera, because: former.reason)) != nil
      if !isBack, context.stream.isActive(stream) { device.close(error) }
      throw error
    }
    streamKeeps(to: durations)
    timeline.fulfilWithStream(change, .frameDuration)
    context.stream.reservation?.report(.reformatted, "")
  }
}

extension StreamRequest {
  /// Why the frames change, for a person.
  fileprivate var reason: String { "frames come at \(interval.map(\.description) ?? "another rate") now" }
}
