import CaptureControls
import CaptureModel

extension FrameDurationBounds {
  /// Makes the running stream keep to the bounds. It restarts the stream where that is necessary; the subscribers stay. If the stream cannot keep to
  /// the bounds, it goes on as it was, and the error is thrown. `change`: the number of the change that this fulfils. The bounds are the latest ones,
  /// maybe those of a newer change.
  func applyToStream(fulfilling change: UInt64, on device: isolated Device) async throws(CaptureError) {
    await context.gates.stream.enterToCleanUp()
    defer { context.gates.stream.leave() }
    let latest = bounds
    if let camera = context.camera.present, let stream = context.stream.active, let latest {
      let wanted = try await request(for: stream, within: latest)
      let needsRestart = stream.isChanged(by: wanted) && context.stream.isActive(stream)
      if needsRestart {
        await camera.stopStreaming()
        let next = stream.inFormat(StreamFormat(wanted))
        try await stream.restart(as: next, of: camera, on: device) { stream in
          "frames come at \(stream.interval.map(\.description) ?? "another rate") now"
        }
        noteKept(latest)
        context.timeline.fulfilWithStream(change, .frameDuration)
        context.stream.reservation?.report(.reformatted, "")
        return
      }
    }
    noteKept(latest)
    let now = FrameTimeline.Part.fromNowOn()
    context.timeline.fulfil(change, .frameDuration, at: now.moment, delay: now.delay)
  }
}
