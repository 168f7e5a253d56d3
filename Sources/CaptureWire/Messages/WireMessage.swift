import CaptureSystem

/// A protobuf message of the contract as a Swift value. Generated; conversion goes through protobuf-c's structs.
public protocol WireMessage: Sendable, Equatable {
  /// "capture.v1.Envelope"
  static var protoName: String { get }
  init()
  /// Parses. Strings have to be UTF-8 without a NUL; what it allocates is bounded by a multiple of the input's length. Unknown fields are
  /// ignored.
  init(decoding body: UnsafeRawBufferPointer) throws(WireError)
  /// The message's protobuf bytes; bulk `data` is not among them (see ``PayloadMessage``).
  func encoded() -> [UInt8]
  /// As ``encoded()``; throws where a text has a NUL, at which it would end on the wire.
  func encodedWhole() throws(WireError) -> [UInt8]
  /// Appends the same bytes to `buffer`.
  func append(to buffer: inout [UInt8])
  /// How many bytes that is. Costs most of an encoding.
  var encodedSize: Int { get }
  /// What travels beside the body. `nil` in messages that declare no ``PayloadMessage/data``; setting it there does nothing.
  var payload: Payload? { get set }
}

/// A message that declares `bytes data = 15`: on the raw socket its bytes travel as the payload.
public protocol PayloadMessage: WireMessage {
  var data: Payload? { get set }
}

/// A message of which newer ones replace older ones that wait; it says how many were replaced (`uint64 discarded`).
public protocol LatestMessage: WireMessage {
  var discarded: UInt64 { get set }
}

/// A body that is no such message.
public struct WireError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String
  public init(_ description: String) { self.description = description }
}

extension WireMessage {
  public var payload: Payload? {
    get { nil }
    set {}
  }

  /// Body and payload, as the transport takes them.
  public func raw() -> RawMessage { RawMessage(body: encoded(), payload: payload) }

  /// As ``raw()``, for a client's request: `invalidArgument` where a text in it has a NUL.
  func request() throws(RPCError) -> RawMessage {
    do throws(WireError) {
      return RawMessage(body: try encodedWhole(), payload: payload)
    } catch {
      throw RPCError(.invalidArgument, "\(error)")
    }
  }

  /// From what the transport received.
  public init(_ raw: RawMessage) throws(WireError) {
    self = try raw.body.span.withUnsafeBytes { bytes throws(WireError) in try Self(decoding: bytes) }
    if let payload = raw.payload { self.payload = payload }
  }
}

extension PayloadMessage {
  public var payload: Payload? {
    get { data }
    set { data = newValue }
  }
}
