import CaptureSystem

/// A message waiting to be written or partly written: its header, and the payload that is cut into chunks as it goes.
final class OutgoingMessage {
  let call: UInt32
  /// The encoded envelope that begins it.
  let envelope: [UInt8]
  /// The encoded envelope of its further chunks, of which most messages have none.
  private(set) lazy var chunkEnvelope = Envelope(callID: call, kind: .chunk(Chunk())).encoded()
  private(set) var payload: Payload?
  let length: Int
  /// A frame that newer ones may replace; otherwise `nil`. Its value is the discards that its body reports.
  let reportedDiscards: UInt64?
  /// When it was handed over, nanoseconds.
  let since: UInt64
  /// `payload` is a packet already, prefix and envelope: it goes as it is.
  let isPacket: Bool

  /// Payload bytes that are in packets planned or begun.
  var planned = 0
  /// Its first packet is planned or begun.
  var isHeaderPlanned = false
  /// Payload bytes in packets that were begun (they have to be finished).
  var committed = 0
  /// Bytes of it are on their way: it can be aborted, no longer withdrawn.
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

  /// A packet without payload that keeps its place in its call.
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

  /// Gives back what the payload lends.
  func copyPayload() { payload = payload.map { $0.copy(offset: 0, count: $0.count) } }

  /// What was planned and not begun is to be planned again.
  func forgetPlan() {
    planned = committed
    isHeaderPlanned = isBegun
  }
}
