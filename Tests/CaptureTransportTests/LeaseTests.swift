import CaptureSystem
import CaptureTransport
import CaptureWire
import Synchronization
import Testing

@Suite struct LeaseTests {
  /// Offers one lent frame, and gives it back when told to.
  final class Camera: ServiceHandler {
    let methods = [MethodDescriptor(name: "t.Camera/Stream", kind: .serverStream)]
    let isReleased = Atomic<Bool>(false)
    var isFree: Bool { isReleased.load(ordering: .relaxed) }
    let writer = Mutex<(any RawResponseWriter)?>(nil)

    func handle(
      _ method: MethodDescriptor, context: CallContext, requests: any RawRequestReader,
      responses: any RawResponseWriter
    ) async throws {
      offer(responses)
      try await Task.sleep(for: .seconds(60))
    }

    private func offer(_ responses: any RawResponseWriter) {
      let bytes = Payload(copying: [UInt8](repeating: 7, count: 8 << 20))
      let lent = Payload(lending: bytes.segments) { [self] in
        _ = bytes
        isReleased.store(true, ordering: .relaxed)
      }
      responses.offer(payload: lent) { _ in [1] }
      writer.withLock { $0 = responses }
    }
  }

  @Test func aClientStuckInAChunkGivesTheFrameBackWhenItsCameraNeedsIt() async throws {
    let camera = Camera()
    let node = try Node(services: [camera])
    let client = try RawClient(node.address, receiveBuffer: 4_096)
    client.send(Envelope(kind: .hello(Hello(version: 1))))
    client.send(
      Envelope(callID: 1, kind: .request(Request(method: "t.Camera/Stream", credit: 1, last: true))))
    try await eventually { node.server.statistics.bytesSent > 50_000 }
    #expect(!camera.isFree, "it is on its way")
    camera.writer.withLock { $0 }?.releaseBuffers()
    try await eventually { camera.isFree }
    try await eventually { node.server.statistics.discarded == 1 }
    #expect(node.server.statistics.clients == 1)
    await node.stop()
  }

  @Test func aCancelledCallGivesItsFrameBackThoughItsClientIsStuck() async throws {
    let camera = Camera()
    let node = try Node(services: [camera])
    let client = try RawClient(node.address, receiveBuffer: 4_096)
    client.send(Envelope(kind: .hello(Hello(version: 1))))
    client.send(
      Envelope(callID: 1, kind: .request(Request(method: "t.Camera/Stream", credit: 1, last: true))))
    try await eventually { node.server.statistics.bytesSent > 50_000 }
    client.send(Envelope(callID: 1, kind: .cancel(Cancel())))
    try await eventually { camera.isFree }
    #expect(node.server.statistics.clients == 1)
    await node.stop()
  }
}
