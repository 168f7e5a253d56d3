import CaptureWire
import Testing

@Suite struct MalformedInputTests {
  @Test func inputCutAnywhereIsReadOrRefused() {
    for (index, type) in everyMessage.enumerated() {
      var source = RandomSource(seed: 1000 + UInt64(index))
      for _ in 0..<2 { cutEverywhere(type, &source) }
    }
  }

  /// Whatever is read from a part has to be a whole message: it writes and reads again.
  private func cutEverywhere<M: RandomMessage>(_ type: M.Type, _ source: inout RandomSource) {
    let bytes = M.random(from: &source).encoded().prefix(400)
    for end in 0..<bytes.count {
      guard let part = try? M(Array(bytes[..<end])) else { continue }
      #expect(throws: Never.self) { try M(part.encoded()) }
    }
  }

  @Test func changedBytesAreReadOrRefused() {
    var source = RandomSource(seed: 7)
    for _ in 0..<rounds(8) {
      for type in everyMessage { change(type, &source) }
    }
  }

  private func change<M: RandomMessage>(_ type: M.Type, _ source: inout RandomSource) {
    var bytes = M.random(from: &source).encoded()
    guard !bytes.isEmpty else { return }
    for _ in 0..<3 { bytes[source.below(bytes.count)] = UInt8(truncatingIfNeeded: source.next()) }
    guard let message = try? M(bytes) else { return }
    #expect(throws: Never.self) { try M(message.encoded()) }
  }

  @Test func aTruncatedEnvelopeIsRefusedByName() {
    #expect(throws: WireError("capture.v1.Envelope: not protobuf, or of another type")) {
      try Envelope([0x22, 5, 8])
    }
  }

  @Test(
    arguments: [
      [0xff], [0xc3], [0xc3, 0x28], [0xe2, 0x82], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80],
    ] as [[UInt8]])
  func textThatIsNotUTF8IsRefused(text: [UInt8]) {
    let field = [UInt8(text.count)] + text
    #expect(throws: WireError("capture.v1.Device.id is not UTF-8")) { try Device([0x12] + field) }
    #expect(throws: WireError("capture.v1.InfoResponse.listeners is not UTF-8")) {
      try InfoResponse([0x3a] + field)
    }
    #expect(throws: WireError("capture.v1.ControlValue.text is not UTF-8")) {
      try ControlValue([0x12] + field)
    }
    #expect(throws: WireError("capture.v1.Device.id is not UTF-8")) {
      try ListDevicesResponse([0x0a, UInt8(field.count + 1), 0x12] + field)
    }
  }

  @Test func unknownFieldsAreIgnored() throws {
    let varint: [UInt8] = [0xf8, 0x3f, 0x96, 0x01]
    let fixed64: [UInt8] = [0xf9, 0x3f, 1, 2, 3, 4, 5, 6, 7, 8]
    let bytes: [UInt8] = [0xfa, 0x3f, 2, 0xff, 0xff]
    let fixed32: [UInt8] = [0xfd, 0x3f, 1, 2, 3, 4]
    let unknown = varint + fixed64 + bytes + fixed32
    #expect(try Credit(unknown + [8, 7] + unknown) == Credit(messages: 7))
    #expect(try Envelope([8, 5] + unknown) == Envelope(callID: 5))
  }

  @Test func theLastKindOfAnEnvelopeWins() throws {
    let both =
      Envelope(callID: 1, kind: .credit(Credit(messages: 2))).encoded()
      + Envelope(kind: .ping(Ping(sentNs: 3))).encoded()
    #expect(try Envelope(both) == Envelope(callID: 1, kind: .ping(Ping(sentNs: 3))))
  }

  @Test func enumValuesFromTheFutureAreKept() throws {
    let event = try PhotoEvent([8, 77])
    #expect(event.stage == PhotoEvent.Stage(rawValue: 77))
    #expect(event.encoded() == [8, 77])
  }
}
