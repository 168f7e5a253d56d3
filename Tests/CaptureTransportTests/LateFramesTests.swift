import CaptureModel
import CaptureSystem
import CaptureTransport
import CaptureWire
import Foundation
import Synchronization
import Testing

/// The frames that a node keeps for clients that are late to read them.
@Suite(.timeLimit(.minutes(1))) struct LateFramesTests {
  /// Gives each call frames of its own, fifty a second.
  private final class Frames: ServiceHandler {
    static let length = 8_000_000
    private let kept = Atomic<Int>(0)
    /// One memory for all of them: nobody looks at their bytes.
    nonisolated(unsafe) private let memory = UnsafeMutableRawBufferPointer.allocate(
      byteCount: length, alignment: 16)
    private let isOver = Atomic(false)

    /// How many frames the node has not let go of.
    var count: Int { kept.load(ordering: .relaxed) }
    let methods = [TestMethods.download]

    /// Ends all calls.
    func end() { isOver.store(true, ordering: .relaxed) }

    func handle(
      _ method: MethodDescriptor, context: CallContext, requests: any RawRequestReader,
      responses: any RawResponseWriter
    ) async throws {
      while !Task.isCancelled, !isOver.load(ordering: .relaxed) {
        kept.wrappingAdd(1, ordering: .relaxed)
        let frame = Payload(lending: UnsafeRawBufferPointer(memory)) { [self] in
          kept.wrappingSubtract(1, ordering: .relaxed)
        }
        responses.offer(payload: frame) { _ in [] }
        try await Task.sleep(for: .milliseconds(20))
      }
    }
  }

  private let frames = Frames()
  private static let clients = 6

  private func node() throws -> Node {
    var configuration = NodeConfiguration()
    configuration.limits[.lateFrameBytesPerAddress] = 5 * Frames.length / 2
    return try Node(configuration: configuration, services: [frames])
  }

  /// Clients that have asked for frames, and read nothing by themselves.
  private func clients(of node: Node) throws -> [RawClient] {
    try (0..<Self.clients).map { _ in
      let client = try RawClient(node.address, receiveBuffer: 65_536)
      let request = Request(method: TestMethods.download.name, credit: 1_000_000, last: true)
      client.send([Envelope(kind: .hello(Hello(version: 1))), Envelope(callID: 1, kind: .request(request))])
      return client
    }
  }

  /// The rest of a frame that was aborted does not wait with its client.
  @Test func ofAClientThatReadsNothingTheNewestFrameWaitsAlone() async throws {
    let node = try node()
    let clients = try clients(of: node)
    try await eventually { node.server.statistics.discarded > 20 * UInt64(Self.clients) }
    try await eventually { frames.count == Self.clients }
    for client in clients { client.leave() }
    try await eventually { frames.count == 0 }
    await node.stop()
  }

  /// Each has read a part of a frame that was not to be aborted. Together they may keep two and a half of those.
  @Test func clientsOfOneAddressThatStopInTheMiddleKeepAsMuchAsTheLimitSays() async throws {
    let node = try node()
    let clients = try clients(of: node)
    try await eventually { node.server.statistics.discarded > 20 * UInt64(Self.clients) }
    // So much is more than the kernel has of the first frame, and less than it has of that and the second.
    for client in clients { client.read(Frames.length * 3 / 4) }
    let before = node.server.statistics.discarded
    try await eventually { node.server.statistics.discarded > before + 30 * UInt64(Self.clients) }
    try await eventually { frames.count == Self.clients + 2 }
    // One of the two reads on: another one may keep its frame now, and no more.
    for client in clients { client.read(Frames.length / 2) }
    try await eventually { frames.count == Self.clients + 2 }
    for client in clients { client.leave() }
    try await eventually { frames.count == 0 }
    await node.stop()
  }

  /// Nothing newer comes then that could replace what they keep. The newest frame is for each of them all the same.
  @Test func thoseOfStreamsThatEndKeepNoMore() async throws {
    let node = try node()
    let clients = try clients(of: node)
    try await eventually { node.server.statistics.discarded > 20 * UInt64(Self.clients) }
    for client in clients { client.read(Frames.length * 3 / 4) }
    let before = node.server.statistics.discarded
    try await eventually { node.server.statistics.discarded > before + 6 * UInt64(Self.clients) }
    frames.end()
    try await eventually { frames.count == Self.clients + 2 }
    #expect(node.server.statistics.calls == Self.clients, "each has a frame to come")
    // A thread for each: they read until the node closes.
    for client in clients { Thread.detachNewThread { _ = client.readToEnd() } }
    try await eventually { frames.count == 0 && node.server.statistics.calls == 0 }
    await node.stop()
  }
}
