import Testing

@testable import CaptureWire

/// protobuf-c's strings end at a NUL; what is behind it must not be lost without a word.
@Suite struct StringCheckTests {
  private static func refusal(_ field: String) -> WireError {
    WireError("\(field) has a NUL (U+0000) in it, which no text may have")
  }

  /// A message's bytes in which "??" is U+0000 and "x".
  private static func bytes(_ message: some WireMessage) -> [UInt8] {
    var bytes = message.encoded()
    for index in bytes.indices.dropLast()
    where bytes[index] == UInt8(ascii: "?") && bytes[index + 1] == UInt8(ascii: "?") {
      (bytes[index], bytes[index + 1]) = (0, UInt8(ascii: "x"))
    }
    return bytes
  }

  @Test func aStringWithANULIsRefused() {
    #expect(throws: Self.refusal("capture.v1.AcquireLeaseRequest.device")) {
      try AcquireLeaseRequest(Self.bytes(AcquireLeaseRequest(device: "0??")))
    }
    #expect(throws: Self.refusal("capture.v1.AcquireLeaseRequest.holder")) {
      try AcquireLeaseRequest(
        Self.bytes(AcquireLeaseRequest(device: "0", durationMs: 1 << 30, holder: "??anna")))
    }
  }

  @Test func soIsOneInRepeatedAndInnerMessages() {
    #expect(throws: Self.refusal("capture.v1.WatchSettingsRequest.names")) {
      try WatchSettingsRequest(Self.bytes(WatchSettingsRequest(device: "0", names: ["zoom", "f??us"])))
    }
    let leases = ListLeasesResponse(leases: [LeaseInfo(device: "a"), LeaseInfo(device: "b", holder: "??")])
    #expect(throws: Self.refusal("capture.v1.LeaseInfo.holder")) {
      try ListLeasesResponse(Self.bytes(leases))
    }
  }

  /// Numbers and bytes have such bytes, and are none.
  @Test func otherFieldsMayHaveSuchBytes() throws {
    let envelope = Envelope(kind: .message(Message(body: [0, 10, 0, 65, 0])))
    #expect(try Envelope(envelope.encoded()) == envelope)
    let point = Point(x: 1, y: 0.5)
    #expect(point.encoded().contains(0))
    #expect(try Point(point.encoded()) == point)
  }

  @Test func aStringWithANULIsNotSent() {
    let error = #expect(throws: RPCError.self) {
      try AcquireLeaseRequest(device: "0", holder: "a\0b").request()
    }
    #expect(error?.code == .invalidArgument && error?.text.contains("NUL") == true)
    #expect(throws: RPCError.self) { try WatchSettingsRequest(device: "0", names: ["a", "\0"]).request() }
    #expect(throws: Never.self) { try WatchSettingsRequest(device: "0", names: ["a", "zoom"]).request() }
  }
}
