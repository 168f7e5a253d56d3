import CaptureModel
import CaptureSystem
import CaptureTransport
import CaptureWire
import Foundation
import Synchronization
import Testing

/// Handlers that make a frame only where there is room for it, as where pictures have to be encoded. Such a handler offers nothing until it finds room.
@Suite(.timeLimit(.minutes(1))) struct RoomTests {
  private static let frames = MethodDescriptor(name: "t.Room/Frames", kind: .serverStream)
  private static let answers = MethodDescriptor(name: "t.Room/Answers", kind: .serverStream)
  /// So long is a frame: longer than what the kernel keeps of a Unix socket.
  private static let length = 1_000_000

  private final class Service: ServiceHandler {
    let methods = [RoomTests.frames, RoomTests.answers]
    /// So many calls get their first frames in one turn, before anything of them is written.
    private let together: Int
    /// After those, so many calls get their first frames when the socket takes no more.
    private let late: Int
    private let watching = Mutex<[any RawResponseWriter]>([])
    private let listing = Mutex<(any RawResponseWriter)?>(nil)
    private let madeCount = Atomic<Int>(0)
    private let keptCount = Atomic<Int>(0)
    /// One memory for all frames: nobody looks at their bytes.
    nonisolated(unsafe) private let memory = UnsafeMutableRawBufferPointer.allocate(
      byteCount: RoomTests.length, alignment: 16)

    init(together: Int = 0, late: Int = 0) { (self.together, self.late) = (together, late) }

    deinit { memory.deallocate() }

    /// How many frames there were.
    var made: Int { madeCount.load(ordering: .relaxed) }
    /// How many of them the node has not let go of.
    var kept: Int { keptCount.load(ordering: .relaxed) }
    /// How many calls watch.
    var watchers: Int { watching.withLock { $0.count } }
    /// Whether answers wait for a socket that takes no more.
    var isBlocked: Bool { listing.withLock { $0?.room == 0 } }

    func handle(
      _ method: MethodDescriptor, context: CallContext, requests: any RawRequestReader,
      responses: any RawResponseWriter
    ) async throws {
      if method == RoomTests.answers { return try await answer(responses) }
      let place = watching.withLock { writers in
        writers.append(responses)
        return writers.count
      }
      if place == together { for writer in watching.withLock({ $0 }) { offer(to: writer) } }
      while watchers < together { try await Task.sleep(for: .milliseconds(2)) }
      if place > together, place <= together + late {
        while responses.room > 0 { try await Task.sleep(for: .milliseconds(2)) }
        offer(to: responses)
      }
      while !Task.isCancelled {
        if responses.room > 0 { offer(to: responses) }
        try await Task.sleep(for: .milliseconds(2))
      }
    }

    private func offer(to call: any RawResponseWriter) {
      madeCount.wrappingAdd(1, ordering: .relaxed)
      keptCount.wrappingAdd(1, ordering: .relaxed)
      let frame = Payload(lending: UnsafeRawBufferPointer(memory)) { [self] in
        keptCount.wrappingSubtract(1, ordering: .relaxed)
      }
      call.offer(payload: frame) { _ in [] }
    }

    /// Sends more without payloads than the socket takes.
    private func answer(_ responses: any RawResponseWriter) async throws {
      listing.withLock { $0 = responses }
      let body = [UInt8](repeating: 7, count: 10_000)
      for _ in 0..<400 { try await responses.send(RawMessage(body: body)) }
    }
  }

  /// A node that keeps two late frames of an address, and a client that reads nothing by itself. On a Unix socket: what it takes does not change then.
  private func connected(_ service: Service, _ name: String) throws -> (Node, RawClient) {
    var configuration = NodeConfiguration()
    configuration.limits[.lateFrameBytesPerAddress] = 5 * Self.length / 2
    let node = try Node(
      on: .unix(path: "/tmp/capture-transport-test-\(name)-\(getpid()).sock"), configuration: configuration,
      services: [service])
    let client = try RawClient(node.address)
    client.send(Envelope(kind: .hello(Hello(version: 1))))
    return (node, client)
  }

  private func open(_ call: Int, _ method: MethodDescriptor, credit: UInt32, of client: RawClient) {
    let request = Request(method: method.name, credit: credit, last: true)
    client.send(Envelope(callID: UInt32(2 * call + 1), kind: .request(request)))
  }

  /// Some of these frames are on their way, and most of those have not begun; others wait for the socket. Each call has credit for one frame.
  @Test func whoseLateFrameWasWithdrawnGetsANewerOne() async throws {
    let calls = 20
    let service = Service(together: 16, late: 4)
    let (node, client) = try connected(service, "withdrawn")
    for call in 0..<calls { open(call, Self.frames, credit: 1, of: client) }
    // There is room for two.
    try await eventually {
      service.kept == 2 && node.server.statistics.discarded == UInt64(calls - 2)
    }
    Thread.detachNewThread { _ = client.readToEnd() }
    try await eventually {
      service.kept == 0 && service.made - Int(node.server.statistics.discarded) == calls
    }
    await node.stop()
  }

  @Test func whoBeginsBehindAnswersThatWaitHasRoomOnceTheyAreRead() async throws {
    let service = Service()
    let (node, client) = try connected(service, "behind")
    open(0, Self.answers, credit: 1_000, of: client)
    try await eventually { service.isBlocked }
    open(1, Self.frames, credit: 1, of: client)
    try await eventually { service.watchers == 1 }
    #expect(service.made == 0, "there is no room")
    Thread.detachNewThread { _ = client.readToEnd() }
    try await eventually { service.made == 1 && service.kept == 0 }
    await node.stop()
  }
}
