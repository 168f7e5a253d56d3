import CaptureSystem

/// A protobuf message of the contract as a Swift value. Generated code conforms to it, and converts with protobuf-c's structs.
public protocol WireMessage: Sendable, Equatable {
  /// "capture.v1.Envelope"
  static var protoName: String { get }
  init()
  /// Parses a message. Strings have to be UTF-8 without a NUL. The memory that this allocates is bounded by a multiple of the input's length. Unknown
  /// fields are ignored.
  init(decoding body: UnsafeRawBufferPointer) throws(WireError)
  /// Calls `body` with the struct that protobuf-c packs. It is valid during `body`, and lacks bulk `data` (see ``PayloadMessage``). `isCut`: a text
  /// has a NUL, and ends there in the struct.
  func withCStruct(_ body: (_ message: UnsafeRawPointer, _ isCut: Bool) -> Void)
  /// The bytes that travel beside the body. It is `nil` in messages that declare no ``PayloadMessage/data``; setting it there does nothing.
  var payload: Payload? { get set }
}

/// A message that declares `bytes data = 15`. On the socket these bytes travel as the payload.
public protocol PayloadMessage: WireMessage {
  var data: Payload? { get set }
}

/// A message that replaces older ones that wait; it reports how many it replaced (`uint64 discarded`).
public protocol LatestMessage: WireMessage {
  var discarded: UInt64 { get set }
}

/// The body is not a valid message of its type.
public struct WireError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String
  public init(_ description: String) { self.description = description }
}

extension WireMessage {
  public var payload: Payload? {
    get { nil }
    set {}
  }

  /// The message's protobuf bytes, without bulk `data` (see ``PayloadMessage``).
  public func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    withCStruct { message, _ in bytes = CStructCoder.packed(message) }
    return bytes
  }

  /// The bytes of ``encoded()``. Throws where a text has a NUL, at which the wire would cut it.
  public func encodedWhole() throws(WireError) -> [UInt8] {
    var bytes: [UInt8]?
    withCStruct { message, isCut in
      if !isCut { bytes = CStructCoder.packed(message) }
    }
    guard let bytes else {
      throw WireError("\(Self.protoName) has a text with a NUL (U+0000), which none may have")
    }
    return bytes
  }

  /// The number of bytes of ``encoded()``. Counting them costs most of what encoding costs.
  public var encodedSize: Int {
    var size = 0
    withCStruct { message, _ in size = CStructCoder.packedSize(message) }
    return size
  }

  /// Appends the bytes of ``encoded()`` to `buffer`.
  public func append(to buffer: inout [UInt8]) {
    append(to: &buffer, room: 0)
  }

  /// Appends `room` zeros for the caller to fill, and then the bytes of ``encoded()``.
  func append(to buffer: inout [UInt8], room: Int) {
    withCStruct { message, _ in CStructCoder.append(message, to: &buffer, room: room) }
  }

  /// The body and the payload in the transport's form.
  public func raw() -> RawMessage { RawMessage(body: encoded(), payload: payload) }

  /// The message as ``raw()``, for a client's request. Throws `invalidArgument` where a text in it has a NUL.
  func request() throws(RPCError) -> RawMessage {
    do throws(WireError) {
      return RawMessage(body: try encodedWhole(), payload: payload)
    } catch {
      throw RPCError(.invalidArgument, "\(error)")
    }
  }

  /// Decodes a message that the transport received.
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
