import CaptureModel
import CaptureSystem
import CaptureTransport
import CaptureWire
import Synchronization

extension CaptureBench {
  /// The request for JPEGs of the first camera, which streams `format`. They have quality 80 and 4:2:2 if the node encodes them.
  static func jpegRequest(_ format: PixelFormat) -> SubscribeRequest {
    let isEncoded = format != .mjpeg
    return SubscribeRequest(
      device: "0",
      rendition: Rendition(
        encoding: .jpeg, quality: isEncoded ? 80 : 0,
        subsampling: isEncoded ? .subsampling422 : .unspecified, sourcePixelFormat: format.rawValue))
  }

  /// The request for BGRA of the first camera, which streams YUYV at 1280x720.
  static var bgraRequest: SubscribeRequest {
    SubscribeRequest(
      device: "0",
      rendition: Rendition(
        encoding: .raw, pixelFormat: PixelFormat.ar24.rawValue, size: Size(width: 1280, height: 720),
        sourcePixelFormat: PixelFormat.yuyv.rawValue))
  }

  /// Measures live frames for many clients, each with a connection of its own.
  static func measureFrames(
    _ address: String, node: ProcessMeter, clients: Int, seconds: Double, _ request: SubscribeRequest
  ) async throws {
    let tally = FrameTally()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<clients { group.addTask { try await receive(request, from: address, into: tally) } }
      group.addTask {
        while tally.clients < clients { try await Task.sleep(for: .milliseconds(5)) }
        // A synthetic camera encodes its ring of pictures during the first seconds; that is not the node's work.
        if request.rendition?.sourcePixelFormat == PixelFormat.mjpeg.rawValue {
          try await Task.sleep(for: .seconds(min(5, seconds * 3)))
        }
        let statusClient = NodeClient(try await connect(address))
        let first = try await statusClient.status().cameras[0]
        let before = (cpu: node.cpu, time: monotonicSeconds())
        tally.begin()
        try await Task.sleep(for: .seconds(seconds))
        let measured = tally.end()
        let (cpu, took) = (node.cpu - before.cpu, monotonicSeconds() - before.time)
        let last = try await statusClient.status().cameras[0]
        let made = Double(last.framesEncoded - first.framesEncoded)
        report([
          "cpu_ms_per_client_frame": cpu * 1e3 / Double(measured.latencies.count),
          "fps": Double(measured.latencies.count) / took / Double(clients),
          "discarded": Double(measured.discarded),
          "frame_bytes": Double(measured.bytes) / Double(max(measured.latencies.count, 1)),
          "latency_p50_ms": measured.latencies.percentile(0.5),
          "latency_p99_ms": measured.latencies.percentile(0.99),
          "first_frame_ms": measured.firstFrames.percentile(0.5),
          "threads": node.status("Threads"), "rss_mb": node.status("VmRSS") / 1024,
          "made_per_frame": made / Double(max(last.frames - first.frames, 1)),
        ])
      }
      // The measuring task ends normally, and a receiver only by failing. Errors of cancelled receivers are ignored.
      try await group.next()
      group.cancelAll()
    }
  }

  private static func receive(
    _ request: SubscribeRequest, from address: String, into tally: FrameTally
  ) async throws {
    let connection = try await connect(address)
    try await withTaskExecutorPreference(connection.loop.executor) {
      try await receive(request, on: connection, into: tally)
    }
  }

  private static func receive(
    _ request: SubscribeRequest, on connection: ClientConnection, into tally: FrameTally
  ) async throws {
    let asked = monotonicSeconds()
    let stream = try await VideoClient(connection).subscribe(request)
    var frames = 0
    for try await frame in stream {
      guard let data = frame.data, let info = frame.info else { continue }
      // The latency is below 0 where a driver gives a frame a time in the future. Node and client have to run on one machine, with one clock.
      let latency = Double(Int64(bitPattern: MonotonicClock.now() &- info.timestampNs)) * 1e-6
      frames += 1
      if frames == 1 { tally.first(after: (monotonicSeconds() - asked) * 1e3) }
      tally.add(latency: latency, bytes: data.count, discarded: frame.discarded)
    }
  }
}

/// The frames of all clients in the measured time.
final class FrameTally: Sendable {
  struct Counts {
    var latencies: [Double] = []
    var firstFrames: [Double] = []
    var bytes = 0
    var discarded: UInt64 = 0
    var isMeasuring = false
  }
  private let counts = Mutex(Counts())

  /// How many clients have had a frame.
  var clients: Int { counts.withLock { $0.firstFrames.count } }

  func first(after milliseconds: Double) { counts.withLock { $0.firstFrames.append(milliseconds) } }

  func begin() { counts.withLock { $0.isMeasuring = true } }

  func end() -> Counts {
    counts.withLock {
      $0.isMeasuring = false
      return $0
    }
  }

  func add(latency: Double, bytes: Int, discarded: UInt64) {
    counts.withLock {
      guard $0.isMeasuring else { return }
      $0.latencies.append(latency)
      $0.bytes += bytes
      $0.discarded += discarded
    }
  }
}
