import CaptureModel
import CaptureSystem
import CaptureTransport
import CaptureWire

extension CaptureBench {
  /// Measures how long a photo of the newest frame takes, from its request to its last byte, while somebody watches the camera in `format`.
  static func measureNewestPhotos(_ address: String, _ format: PixelFormat, count: Int) async throws {
    let viewer = try await connect(address)
    var watched = jpegRequest(format)
    // The viewer gets the camera's own frames, so that each photo needs a JPEG of its own.
    if format != .mjpeg { watched.rendition = Rendition(encoding: .raw, sourcePixelFormat: format.rawValue) }
    let stream = try await VideoClient(viewer).subscribe(watched)
    let watching = Task { for try await _ in stream {} }
    defer { watching.cancel() }
    let photographer = PhotosClient(try await connect(address))
    // A synthetic camera encodes its ring of pictures during the first seconds.
    try await Task.sleep(for: .seconds(5))
    var settings = PhotoSettings(when: When(kind: .now(true)))
    if format != .mjpeg {
      settings.rendition = Rendition(encoding: .jpeg, quality: 80, subsampling: .subsampling422)
    }
    var times: [Double] = []
    for number in 0..<(count + 1) {
      let began = MonotonicClock.now()
      for try await event in try await photographer.capture(
        CapturePhotoRequest(device: "0", settings: settings)) where event.stage == .photo
      {
        let time = Double(MonotonicClock.now() - began) * 1e-6
        // The first photo warms up.
        if number > 0 { times.append(time) }
      }
      // The pauses differ, so that the photos are asked for at different moments between two frames.
      try await Task.sleep(for: .milliseconds(50 + number * 7 % 33))
    }
    report(["now_p50_ms": times.percentile(0.5), "now_p99_ms": times.percentile(0.99)])
  }
}
