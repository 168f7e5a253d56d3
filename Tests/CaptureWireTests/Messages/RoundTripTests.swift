import CaptureSystem
import CaptureWire
import Testing

@Suite struct RoundTripTests {
  @Test func everyMessageReadsBackAsItWasWritten() throws {
    for (index, type) in everyMessage.enumerated() {
      var source = RandomSource(seed: UInt64(index))
      for _ in 0..<rounds(12) { try roundTrip(type, &source) }
    }
  }

  private func roundTrip<M: RandomMessage>(_ type: M.Type, _ source: inout RandomSource) throws {
    let message = M.random(from: &source)
    let bytes = message.encoded()
    #expect(try M(bytes) == message)
    #expect(message.encodedSize == bytes.count)
    var packet: [UInt8] = [1, 2, 3]
    message.append(to: &packet)
    #expect(packet == [1, 2, 3] + bytes)
  }

  @Test func messagesOfNoFieldsTakeNoBytes() throws {
    for type in everyMessage { #expect(type.init().encoded() == [], "\(type.protoName)") }
    #expect(try Envelope([]) == Envelope())
  }

  @Test func everyMessageHasItsOwnName() {
    let names = everyMessage.map { $0.protoName }
    #expect(Set(names).count == names.count)
    #expect(names.contains("capture.v1.Envelope"))
  }

  @Test func bulkTravelsBesideTheBody() throws {
    let frame = VideoFrame(discarded: 2, data: Payload(copying: [1, 2, 3]))
    let raw = frame.raw()
    #expect(raw.body == [0x10, 2])
    #expect(raw.payload?.bytes == [1, 2, 3])
    #expect(try VideoFrame(raw) == frame)
    #expect(try VideoFrame(RawMessage(body: raw.body)).data == nil)
  }

  @Test func bulkInsideTheBodyIsRead() throws {
    let frame = try VideoFrame([0x10, 2, 0x7a, 3, 1, 2, 3])
    #expect(frame == VideoFrame(discarded: 2, data: Payload(copying: [1, 2, 3])))
  }

  @Test func aPayloadThatAMessageDoesNotDeclareIsLeftOut() throws {
    let raw = RawMessage(body: [8, 7], payload: Payload(copying: [1]))
    #expect(try Credit(raw) == Credit(messages: 7))
  }
}

extension WireMessage {
  init(_ bytes: [UInt8]) throws(WireError) { try self.init(RawMessage(body: bytes)) }
}
