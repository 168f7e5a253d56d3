import CaptureSystem

/// A message that waits to be written or is partly written: its envelope, and the payload, which is cut into chunks on the way.
final class OutgoingMessage {
  /// What stands before the message's first chunk.
  enum Opening {
    /// The envelope of a Message with this body. Calls that send the same body share it, and write only the rest of the envelope each for itself.
    case message(body: [UInt8])
    /// An encoded envelope of any kind.
    case envelope([UInt8])
    /// Nothing: the envelope was sent already, as a packet of its own.
    case sent
    /// Nothing: the payload is a complete packet, with prefix and envelope.
    case packet
  }

  let call: UInt32
  let opening: Opening
  private(set) var payload: Payload?
  let length: Int
  /// For a frame that newer ones may replace, the discards that its body reports; otherwise `nil`.
  let reportedDiscards: UInt64?

  /// How many payload bytes are in packets that were planned or begun.
  private(set) var planned = 0
  /// Whether its first packet was planned or begun.
  private(set) var isOpeningPlanned = false
  /// How many payload bytes are in packets that were begun. (Those have to be finished.)
  private(set) var committed = 0
  /// Whether some of its bytes were sent. It can then be aborted, but not withdrawn.
  private(set) var isBegun = false

  init(call: UInt32, _ opening: Opening, payload: Payload, reportedDiscards: UInt64? = nil) {
    self.call = call
    self.opening = opening
    self.payload = payload
    length = payload.count
    self.reportedDiscards = reportedDiscards
    if case .sent = opening { (isOpeningPlanned, isBegun) = (true, true) }
  }

  /// Makes a packet without payload that keeps its place in its call.
  convenience init(call: UInt32, packet: [UInt8]) {
    self.init(call: call, .packet, payload: Payload(copying: packet))
  }

  var isPlannedWhole: Bool { isOpeningPlanned && planned == length }
  var isCommittedWhole: Bool { isBegun && committed == length }

  /// Copies the payload, so that the original is given back.
  func copyPayload() { payload = payload.map { $0.copy(offset: 0, count: $0.count) } }

  /// Plans a packet with so many bytes of the payload.
  func plan(_ count: Int) {
    planned += count
    isOpeningPlanned = true
  }

  /// Notes that a packet which ends at this byte of the payload was begun.
  func begin(upTo end: Int) {
    isBegun = true
    committed = end
  }

  /// Forgets what was planned and not begun; it is planned again.
  func forgetPlan() {
    planned = committed
    isOpeningPlanned = isBegun
  }
}

extension OutgoingMessage {
  /// How many payload bytes the next packet takes.
  func nextCount(chunkLimit: Int) -> Int {
    if case .packet = opening { return length }
    return min(chunkLimit, length - planned)
  }

  /// How long the next packet's envelope is; `nil`: it has neither prefix nor envelope of its own.
  var nextEnvelopeSize: Int? {
    switch opening {
    case .packet: nil
    case .message(let body) where !isOpeningPlanned:
      MessageEnvelope.size(call, body: body.count, payloadLength: length)
    case .envelope(let bytes) where !isOpeningPlanned: bytes.count
    default: MessageEnvelope.chunkSize(call)
    }
  }

  /// Writes the next packet's envelope, which has ``nextEnvelopeSize`` bytes.
  func writeNextEnvelope(to target: UnsafeMutableRawPointer) {
    switch opening {
    case .message(let body) where !isOpeningPlanned:
      MessageEnvelope.write(call, body: body, payloadLength: length, to: target)
    case .envelope(let bytes) where !isOpeningPlanned:
      bytes.withUnsafeBytes { target.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
    default: MessageEnvelope.writeChunk(call, to: target)
    }
  }
}
