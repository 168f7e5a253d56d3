import CaptureModel
import CaptureSystem
import CaptureTransport
import CaptureWire
import Foundation
import Synchronization
import Testing

/// The frames that a node keeps for clients that are late to read them.
@Suite(.timeLimit(.minutes(1))) struct LateFramesTests {
  /// Gives each call frames of its own.
  private final class Frames: ServiceHandler {
    private let kept = Atomic<Int>(0)
    /// One memory for all of them: nobody looks at their bytes.
    nonisolated(unsafe) private let memory: UnsafeMutableRawBufferPointer
    private let areOver = Atomic(false)
    private let interval: Duration
    let methods = [TestMethods.download]

    /// `interval`: the time between two frames of a call; fifty a second without it.
    init(length: Int = LateFramesTests.length, interval: Duration = .milliseconds(20)) {
      memory = .allocate(byteCount: length, alignment: 16)
      self.interval = interval
    }

    /// How many frames the node has not let go of.
    var count: Int { kept.load(ordering: .relaxed) }

    /// Ends all calls.
    func end() { areOver.store(true, ordering: .relaxed) }

    func handle(
      _ method: MethodDescriptor, context: CallContext, requests: any RawRequestReader,
      responses: any RawResponseWriter
    ) async throws {
      while !Task.isCancelled, !areOver.load(ordering: .relaxed) {
        // The handler keeps none itself while it sleeps.
        responses.offer(payload: frame()) { _ in [] }
        try await Task.sleep(for: interval)
      }
    }

    private func frame() -> Payload {
      kept.wrappingAdd(1, ordering: .relaxed)
      return Payload(lending: UnsafeRawBufferPointer(memory)) { [self] in
        kept.wrappingSubtract(1, ordering: .relaxed)
      }
    }
  }

  /// So long is a frame: longer than what the kernel keeps for a connection.
  private static let length = 8_000_000
  private static let clients = 6

  /// A node that keeps two and a half late frames of an address.
  private func node(_ frames: Frames) throws -> Node {
    var configuration = NodeConfiguration()
    configuration.limits[.lateFrameBytesPerAddress] = 5 * Self.length / 2
    return try Node(configuration: configuration, services: [frames])
  }

  /// Clients that have asked for frames, and read nothing by themselves.
  private func clients(of node: Node, credit: UInt32 = 1_000_000) throws -> [RawClient] {
    try (0..<Self.clients).map { _ in
      let client = try RawClient(node.address, receiveBuffer: 65_536)
      let request = Request(method: TestMethods.download.name, credit: credit, last: true)
      client.send([Envelope(kind: .hello(Hello(version: 1))), Envelope(callID: 1, kind: .request(request))])
      return client
    }
  }

  /// Waits until so many further frames of each client were replaced or aborted.
  private func discards(of node: Node, each count: UInt64) async throws {
    let before = node.server.statistics.discarded
    try await eventually { node.server.statistics.discarded > before + count * UInt64(Self.clients) }
  }

  private func stop(_ node: Node, _ clients: [RawClient], _ frames: Frames) async throws {
    for client in clients { client.leave() }
    try await eventually { frames.count == 0 }
    await node.stop()
  }

  /// Neither the rest of an aborted frame nor the last chunk of one keeps that frame.
  @Test(arguments: [length, 200_000])
  func ofAClientThatReadsNothingTheNewestFrameWaitsAlone(length: Int) async throws {
    let frames = Frames(length: length)
    let node = try node(frames)
    let clients = try clients(of: node)
    try await discards(of: node, each: 20)
    try await eventually { frames.count == Self.clients }
    try await stop(node, clients, frames)
  }

  /// Each has read a part of a frame that is not aborted for a newer one.
  @Test func clientsOfOneAddressThatStopInTheMiddleKeepAsMuchAsTheLimitSays() async throws {
    let frames = Frames()
    let node = try node(frames)
    let clients = try clients(of: node)
    try await discards(of: node, each: 20)
    // So much is more than the kernel has of the first frame, and less than it has of that and the second.
    for client in clients { client.read(Self.length * 3 / 4) }
    try await discards(of: node, each: 30)
    try await eventually { frames.count == Self.clients + 2 }
    // Those that keep a frame have others keep one in their place.
    for client in clients { client.read(Self.length / 2) }
    try await discards(of: node, each: 40)
    try await eventually { frames.count == Self.clients + 2 }
    try await stop(node, clients, frames)
  }

  /// Nothing newer comes then that could replace what they keep. The newest frame is for each of them all the same.
  @Test func thoseOfStreamsThatEndKeepNoMore() async throws {
    let frames = Frames()
    let node = try node(frames)
    let clients = try clients(of: node)
    try await discards(of: node, each: 20)
    for client in clients { client.read(Self.length * 3 / 4) }
    try await discards(of: node, each: 6)
    frames.end()
    // Those that keep no frame wait for the newest one, and two of these count.
    try await eventually { frames.count <= Self.clients + 2 }
    // A thread for each: they read until the node closes.
    for client in clients { Thread.detachNewThread { _ = client.readToEnd() } }
    try await eventually { frames.count == 0 && node.server.statistics.calls == 0 }
    await node.stop()
  }

  /// Clients that want few frames wait for different ones.
  @Test func whatWaitsForCreditCounts() async throws {
    let frames = Frames(interval: .seconds(3_600))
    let node = try node(frames)
    let clients = try clients(of: node, credit: 0)
    try await eventually { frames.count == 2 && node.server.statistics.discarded == 4 }
    try await stop(node, clients, frames)
  }
}
