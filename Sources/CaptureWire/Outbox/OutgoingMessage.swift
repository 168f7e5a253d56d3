import CaptureSystem

/// A message that waits to be written or is partly written: its header, and the payload, which is cut into chunks on the way.
final class OutgoingMessage {
  let call: UInt32
  /// The encoded envelope at its beginning.
  let envelope: [UInt8]
  /// The encoded envelope of its further chunks. Most messages have none.
  private(set) lazy var chunkEnvelope = Envelope(callID: call, kind: .chunk(Chunk())).encoded()
  private(set) var payload: Payload?
  let length: Int
  /// For a frame that newer ones may replace, the discards that its body reports; otherwise `nil`.
  let reportedDiscards: UInt64?
  /// When it was added, in nanoseconds.
  let since: UInt64
  /// Whether `payload` is a complete packet, with prefix and envelope, which is sent as it is.
  let isPacket: Bool

  /// How many payload bytes are in packets that were planned or begun.
  var planned = 0
  /// Whether its first packet was planned or begun.
  var isHeaderPlanned = false
  /// How many payload bytes are in packets that were begun. (Those have to be finished.)
  var committed = 0
  /// Whether some of its bytes were sent. It can then be aborted, but not withdrawn.
  var isBegun = false

  init(
    call: UInt32, envelope: [UInt8], payload: Payload?, reportedDiscards: UInt64?, since: UInt64
  ) {
    self.call = call
    isPacket = false
    self.envelope = envelope
    self.payload = payload
    self.length = payload?.count ?? 0
    self.reportedDiscards = reportedDiscards
    self.since = since
  }

  /// Makes a packet without payload that keeps its place in its call.
  init(call: UInt32, packet: [UInt8]) {
    self.call = call
    isPacket = true
    envelope = []
    let payload = Payload(copying: packet)
    self.payload = payload
    length = payload.count
    reportedDiscards = nil
    since = 0
  }

  var isPlannedWhole: Bool { isHeaderPlanned && planned == length }
  var isCommittedWhole: Bool { isBegun && committed == length }

  /// Copies the payload, so that the original is given back.
  func copyPayload() { payload = payload.map { $0.copy(offset: 0, count: $0.count) } }

  /// Forgets what was planned and not begun; it is planned again.
  func forgetPlan() {
    planned = committed
    isHeaderPlanned = isBegun
  }
}
