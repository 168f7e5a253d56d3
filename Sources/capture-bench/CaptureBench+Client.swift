import CaptureClient
import CaptureModel
import CaptureSystem
import CaptureTransport
import CaptureWire

extension CaptureBench {
  /// Receives MJPEG of the first camera, through the library or by the stub of the wire alone, and measures this process's own CPU for each frame.
  static func client(_ address: String, throughLibrary: Bool, frames count: Int) async throws {
    let own = try ProcessMeter.own()
    // The first tenth warms up.
    let first = count / 10
    var cpu = 0.0
    var (received, bytes) = (0, 0)
    func note(_ payload: Payload) -> Bool {
      if received == first { (cpu, bytes) = (own.cpu, 0) }
      received += 1
      bytes += payload.count
      return received > first + count
    }
    if throughLibrary {
      let node = try await RemoteNode(address)
      for try await frame in node.camera("0").videoOutput.frames(
        VideoRequest(sourcePixelFormat: .mjpeg), options: StreamOptions(window: 8))
      where note(frame.payload) { break }
      await node.close()
    } else {
      let connection = try await connect(address)
      let stream = try await VideoClient(connection).subscribe(
        request(.mjpeg), options: CallOptions(window: 8))
      for try await frame in stream { if let data = frame.data, note(data) { break } }
      await connection.close()
    }
    report([
      "cpu_us_per_frame": (own.cpu - cpu) * 1e6 / Double(count), "frame_bytes": Double(bytes / (count + 1)),
    ])
  }
}
