import CaptureModel
import CaptureSystem
import CaptureTransport
import CaptureWire

extension CaptureBench {
  /// Measures how old photos of a camera that streams MJPEG are when they arrive, checked and unchecked in turn.
  static func measurePhotos(_ address: String, count: Int) async throws {
    let viewer = try await connect(address)
    let stream = try await VideoClient(viewer).subscribe(jpegRequest(.mjpeg))
    let watching = Task { for try await _ in stream {} }
    defer { watching.cancel() }
    let photographer = PhotosClient(try await connect(address))
    // A synthetic camera encodes its ring of pictures during the first seconds.
    try await Task.sleep(for: .seconds(5))
    var ages: [Bool: [Double]] = [false: [], true: []]
    for _ in 0..<count {
      for isUnchecked in [false, true] {
        let events = try await photographer.capture(
          CapturePhotoRequest(device: "0", settings: PhotoSettings(unchecked: isUnchecked)))
        for try await event in events where event.stage == .photo {
          let taken = event.info?.timestampNs ?? 0
          ages[isUnchecked]!.append(Double(MonotonicClock.now() - taken) * 1e-6)
        }
      }
    }
    let (checked, unchecked) = (ages[false]!, ages[true]!)
    report([
      "checked_p50_ms": checked.percentile(0.5), "unchecked_p50_ms": unchecked.percentile(0.5),
      "more_ms": checked.percentile(0.5) - unchecked.percentile(0.5),
      "checked_p90_ms": checked.percentile(0.9),
      "unchecked_p90_ms": unchecked.percentile(0.9),
    ])
  }
}
