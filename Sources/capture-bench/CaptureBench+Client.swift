import CaptureClient
import CaptureModel
import CaptureSystem
import CaptureTransport
import CaptureWire
import Synchronization

extension CaptureBench {
  /// Receives MJPEG of the first camera in several streams of one connection, through the client library or through the wire's stub alone, and
  /// measures this process's own CPU for each frame.
  static func measureClient(_ address: String, throughLibrary: Bool, streams: Int, frames: Int) async throws {
    let own = try ProcessMeter.own()
    let tally = ClientTally(frames) { own.cpu }
    if throughLibrary {
      let node = try await RemoteNode(address)
      try await runAtOnce(streams) {
        for try await frame in node.camera("0").videoOutput.frames(
          VideoRequest(pixelFormat: .mjpeg), options: StreamOptions(window: 8))
        where tally.note(frame.payload) { break }
      }
      await node.close()
    } else {
      let connection = try await connect(address)
      try await runAtOnce(streams) {
        let stream = try await VideoClient(connection).subscribe(
          jpegRequest(.mjpeg), options: CallOptions(window: 8))
        for try await frame in stream { if let data = frame.data, tally.note(data) { break } }
      }
      await connection.close()
    }
    tally.report()
  }

  private static func runAtOnce(_ count: Int, _ stream: @escaping @Sendable () async throws -> Void)
    async throws
  {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<count { group.addTask { try await stream() } }
      try await group.waitForAll()
    }
  }
}

/// Counts the frames of all streams of a client, and measures the CPU time and the time that they take. One tenth of `frames` comes before them, as a
/// warm-up.
private final class ClientTally: Sendable {
  private struct Counts {
    var received = 0
    var bytes = 0
    var began = (cpu: 0.0, time: 0.0)
    var took = (cpu: 0.0, time: 0.0)
  }
  private let counts = Mutex(Counts())
  private let (warming, measured): (Int, Int)
  private let cpu: @Sendable () -> Double

  init(_ frames: Int, cpu: @escaping @Sendable () -> Double) {
    (warming, measured, self.cpu) = (frames / 10, frames, cpu)
  }

  /// Returns whether all frames have come.
  func note(_ payload: Payload) -> Bool {
    counts.withLock { counts in
      counts.received += 1
      if counts.received == warming { (counts.began, counts.bytes) = ((cpu(), monotonicSeconds()), 0) }
      if counts.received > warming, counts.received <= warming + measured { counts.bytes += payload.count }
      if counts.received == warming + measured {
        counts.took = (cpu() - counts.began.cpu, monotonicSeconds() - counts.began.time)
      }
      return counts.received >= warming + measured
    }
  }

  func report() {
    let counts = counts.withLock { $0 }
    CaptureBench.report([
      "cpu_us_per_frame": counts.took.cpu * 1e6 / Double(measured),
      "frames_per_s": Double(measured) / counts.took.time, "frame_bytes": Double(counts.bytes / measured),
    ])
  }
}
