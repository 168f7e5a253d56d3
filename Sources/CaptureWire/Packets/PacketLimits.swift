import CaptureModel

/// The longest parts of a packet that one side accepts. It announces them in its Hello.
public struct PacketLimits: Hashable, Sendable {
  /// Bytes of an envelope: at most 2^24 - 1, so that a packet's first byte is always 0.
  public var envelope: Int
  /// Bytes of a chunk.
  public var chunk: Int

  public init(envelope: Int, chunk: Int) {
    precondition(envelope < 1 << 24)
    self.envelope = envelope
    self.chunk = chunk
  }

  /// The limits of a node. They are small, because parsing an envelope can take memory of 70 times its length.
  public static let node = PacketLimits(
    envelope: NodeLimit.envelopeBytes.usual, chunk: NodeLimit.chunkBytes.usual)
  /// The limits of a client.
  public static let client = PacketLimits(envelope: 4_194_304, chunk: 262_144)

  /// The least that a peer may announce: below this, headers would be larger than what they carry.
  static let least = PacketLimits(envelope: 1_024, chunk: 4_096)

  /// The limits that the peer announced; those of `standard` where it announced none.
  init(announced: Limits?, standard: PacketLimits) throws(ProtocolViolation) {
    self = standard
    guard let announced else { return }
    if announced.maxEnvelopeBytes != 0 { envelope = min(Int(announced.maxEnvelopeBytes), (1 << 24) - 1) }
    if announced.maxChunkBytes != 0 { chunk = min(Int(announced.maxChunkBytes), standard.chunk) }
    guard envelope >= Self.least.envelope, chunk >= Self.least.chunk else {
      throw ProtocolViolation(
        .invalidArgument,
        "limits below \(Self.least.envelope) bytes an envelope or \(Self.least.chunk) bytes a chunk are not served"
      )
    }
  }

  var message: Limits { Limits(maxEnvelopeBytes: UInt32(envelope), maxChunkBytes: UInt32(chunk)) }
}
