import CaptureSystem
import CaptureWire
import Glibc
import Testing

@testable import CaptureTransport

/// When a socket last took bytes: a frame on its way counts as stuck where that is long ago.
@Suite struct ConnectionPumpTests {
  /// A pump over a socket that is full, with more messages than one write takes, and the other end of that socket.
  private final class Rig {
    let pump: ConnectionPump<ServerConnectionState>
    private let near: Int32
    private let far: Int32

    init() throws {
      var ends: [Int32] = [-1, -1]
      let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
      _ = try retryingInterrupts { socketpair(AF_UNIX, type, 0, &ends) }
      (near, far) = (ends[0], ends[1])
      let stream = SocketStream(OwnedDescriptor(owning: near), to: .unix(path: ""))
      pump = ConnectionPump(
        state: ServerConnectionState(
          configuration: .init(), methods: MethodTable([TestMethods.download]), pool: PayloadPool(),
          now: MonotonicClock.now()),
        limits: .node, stream: stream, memory: LoopMemory())
      try fill()
    }

    deinit { close(far) }

    private func fill() throws {
      let asked = Request(method: TestMethods.download.name, credit: 1_000, last: true)
      for envelope in [
        Envelope(kind: .hello(Hello(version: 1))), Envelope(callID: 1, kind: .request(asked)),
      ] { _ = try pump.state.receive(envelope, chunkLength: 0, now: 0) }
      for _ in 0..<200 { try pump.state.send(1, RawMessage(body: [], payload: Payload(copying: [7]))) }
      var byte: UInt8 = 0
      while send(near, &byte, 1, Int32(MSG_NOSIGNAL)) == 1 {}
    }

    /// Makes room for one more write. A Unix socket is full by how many pieces wait in it, and takes a short one whole.
    func readOnePiece() {
      var byte: UInt8 = 0
      _ = read(far, &byte, 1)
    }
  }

  /// The second write takes nothing, and the first was no longer than the kernel takes at once.
  @Test func aSocketThatWasFullAfterAWholeWriteHasTakenBytes() throws {
    let rig = try Rig()
    let before = rig.pump.lastProgress
    rig.readOnePiece()
    let error = rig.pump.write()
    let (isBlocked, written) = (rig.pump.isBlocked, rig.pump.state.bytesWritten)
    #expect(error == nil && isBlocked && written > 100)
    let after = rig.pump.lastProgress
    #expect(after > before)
  }

  @Test func oneThatTakesNothingHasNot() throws {
    let rig = try Rig()
    let before = rig.pump.lastProgress
    let error = rig.pump.write()
    let (isBlocked, written) = (rig.pump.isBlocked, rig.pump.state.bytesWritten)
    #expect(error == nil && isBlocked && written == 0)
    let after = rig.pump.lastProgress
    #expect(after == before)
  }
}
