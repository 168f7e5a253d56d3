import CaptureSystem
import Testing

@testable import CaptureWire

@Suite struct PacketDecoderTests {
  /// What a decoder made of a stream, chunk bytes joined.
  struct Decoded: Equatable {
    var envelopes: [Envelope] = []
    var chunks: [[UInt8]] = []
    var violation: ProtocolViolation?
  }

  /// Feeds `stream` in pieces that end at `cuts`.
  static func decode(_ stream: [UInt8], cuts: some Sequence<Int>, limits: PacketLimits = .node) -> Decoded {
    var decoder = PacketDecoder(limits: limits)
    var decoded = Decoded()
    var start = 0
    for end in Array(cuts) + [stream.count] {
      stream.withUnsafeBytes { bytes in
        var input = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        do throws(ProtocolViolation) {
          while let event = try decoder.next(&input) {
            switch event {
            case .packet(let envelope, _):
              decoded.envelopes.append(envelope)
              decoded.chunks.append([])
            case .chunk(let bytes): decoded.chunks[decoded.chunks.count - 1] += bytes
            }
          }
        } catch {
          decoded.violation = decoded.violation ?? error
        }
      }
      if decoded.violation != nil { break }
      start = end
    }
    return decoded
  }

  static func packet(_ envelope: Envelope, chunk: [UInt8] = []) -> [UInt8] {
    PacketEncoder.header(envelope, chunkLength: chunk.count) + chunk
  }

  static let stream: [UInt8] =
    packet(Envelope(kind: .hello(Hello(version: 1, agent: "tests"))))
    + packet(Envelope())
    + packet(
      Envelope(
        callID: 1, kind: .request(Request(method: "a/B", body: [1, 2, 3], last: true, payloadLength: 40))),
      chunk: Array(0..<30))
    + packet(Envelope(callID: 1, kind: .chunk(Chunk())), chunk: Array(30..<40))
    + packet(Envelope(kind: .ping(Ping(sentNs: 7))))

  @Test func packetsComeOutTheSameHoweverTheyAreCut() {
    let whole = Self.decode(Self.stream, cuts: [])
    #expect(whole.violation == nil)
    #expect(whole.envelopes.count == 5)
    #expect(whole.chunks == [[], [], Array(0..<30), Array(30..<40), []])
    for cut in 1..<Self.stream.count {
      #expect(Self.decode(Self.stream, cuts: [cut]) == whole, "cut at \(cut)")
    }
    #expect(Self.decode(Self.stream, cuts: 1..<Self.stream.count) == whole)
  }

  @Test func aLengthPastItsLimitIsRefusedBeforeAnythingIsBuffered() {
    for (envelope, chunk, name) in [
      (65_537, 0, "max_envelope_bytes"), (0xFF_FFFF, 0, "max_envelope_bytes"),
      (0, 262_145, "max_chunk_bytes"),
      (0, 0xFFFF_FFFF, "max_chunk_bytes"),
    ] {
      var prefix = [UInt8](repeating: 0, count: 8)
      prefix.withUnsafeMutableBytes {
        PacketPrefix(envelopeLength: envelope, chunkLength: chunk).write(to: $0.baseAddress!)
      }
      for cuts in [[], Array(1..<8)] {
        let decoded = Self.decode(prefix, cuts: cuts)
        #expect(decoded.violation?.code == .resourceExhausted)
        #expect(decoded.violation?.text.contains(name) == true)
      }
    }
  }

  @Test(arguments: [1, 3, 7, 8, 9, 40, 1_000])
  func ofAHalfPacketItKeepsWhatCame(step: Int) throws {
    var decoder = PacketDecoder(limits: .node)
    for start in stride(from: 0, to: Self.stream.count, by: step) {
      let end = min(start + step, Self.stream.count)
      try Self.feed(Self.stream[start..<end], to: &decoder)
      #expect(decoder.stagedCount == Self.unfinished(Self.stream.prefix(end)), "after \(end) bytes")
      #expect(decoder.stagedCapacity <= 2 * decoder.stagedCount + 64, "after \(end) bytes")
    }
    #expect(decoder.stagedCapacity == 0)
  }

  @Test func anAnnouncedLengthTakesNoMemory() throws {
    var decoder = PacketDecoder(limits: .node)
    var prefix = [UInt8](repeating: 0, count: PacketPrefix.size)
    prefix.withUnsafeMutableBytes {
      PacketPrefix(envelopeLength: 65_536, chunkLength: 262_144).write(to: $0.baseAddress!)
    }
    try Self.feed(prefix[...], to: &decoder)
    #expect(decoder.stagedCount == 8)
    try Self.feed([UInt8](repeating: 0x12, count: 100)[...], to: &decoder)
    #expect(decoder.stagedCount == 108)
    #expect(decoder.stagedCapacity < 1_024)
  }

  /// A request as long as a list of 7,000 texts makes it.
  static let long = packet(
    Envelope(callID: 1, kind: .request(Request(method: "a/B", body: [UInt8](repeating: 1, count: 56_000)))))

  @Test(arguments: [100, 1_000, 4_096, 30_000]) func ofALongEnvelopeItKeepsWhatCameAndLittleMore(
    step: Int
  ) throws {
    var decoder = PacketDecoder(limits: .node)
    for start in stride(from: 0, to: Self.long.count - 1, by: step) {
      let end = min(start + step, Self.long.count - 1)
      try Self.feed(Self.long[start..<end], to: &decoder)
      #expect(decoder.stagedCount == end)
      #expect(decoder.stagedCapacity <= end + max(4_096, end / 8) + 64, "after \(end) bytes")
    }
    #expect(decoder.stagedCapacity <= Self.long.count + 64)
    try Self.feed(Self.long[(Self.long.count - 1)...], to: &decoder)
    #expect(decoder.stagedCapacity == 0)
  }

  @Test func itSaysHowMuchOfALongEnvelopeIsStillToCome() throws {
    var decoder = PacketDecoder(limits: .node)
    try Self.feed(Self.long[..<7], to: &decoder)
    #expect(decoder.longRemaining == 0, "its length has not come")
    for end in [8, 9, 40_000, Self.long.count - 1] {
      try Self.feed(Self.long[decoder.stagedCount..<end], to: &decoder)
      #expect(decoder.longRemaining == Self.long.count - end)
    }
    #expect(decoder.longBytes == 0, "only whole envelopes count")
    try Self.feed(Self.long[(Self.long.count - 1)...] + Self.stream.prefix(15), to: &decoder)
    #expect(decoder.stagedCount == 15, "a Hello has 19")
    #expect(decoder.longRemaining == 0, "the next one is short")
    #expect(decoder.longBytes == UInt64(Self.long.count - PacketPrefix.size))
  }

  static func feed(_ bytes: ArraySlice<UInt8>, to decoder: inout PacketDecoder) throws {
    try bytes.withUnsafeBytes { bytes in
      var input = bytes
      while try decoder.next(&input) != nil {}
    }
  }

  /// How many bytes at the end of `stream` belong to a prefix or an envelope that is not whole.
  static func unfinished(_ stream: ArraySlice<UInt8>) -> Int {
    var rest = stream
    while rest.count >= PacketPrefix.size {
      let prefix = rest.withUnsafeBytes { PacketPrefix(reading: $0) }
      let envelopeEnd = PacketPrefix.size + prefix.envelopeLength
      guard rest.count >= envelopeEnd else { break }
      rest = rest.dropFirst(envelopeEnd + prefix.chunkLength)
    }
    return rest.count
  }

  @Test func anEnvelopeAtItsLimitIsTaken() {
    let fixed = Envelope(callID: 1, kind: .request(Request(method: "", body: [])))
    var body = [UInt8](repeating: 0, count: 65_536 - fixed.encoded().count - 16)
    while Envelope(callID: 1, kind: .request(Request(body: body))).encoded().count < 65_536 { body.append(0) }
    let packet = Self.packet(Envelope(callID: 1, kind: .request(Request(body: body))))
    #expect(packet.count == 8 + 65_536)
    #expect(Self.decode(packet, cuts: [100, 60_000]).envelopes.count == 1)
  }

  @Test(arguments: [(UInt8(ascii: "P"), "HTTP"), (0x16, "TLS"), (0xFF, "first byte")])
  func anotherProtocolIsSeenAtItsFirstByte(_ byte: UInt8, _ guess: String) {
    let violation = Self.decode([byte], cuts: []).violation
    #expect(violation?.isOtherProtocol == true)
    #expect(violation?.text.contains(guess) == true)
  }

  @Test func anEnvelopeThatDoesNotParseEndsTheConnection() {
    let decoded = Self.decode([0, 0, 0, 2, 0, 0, 0, 0, 0x12, 0x7F], cuts: [])
    #expect(decoded.violation?.code == .invalidArgument)
  }
}
