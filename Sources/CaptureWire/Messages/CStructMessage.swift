internal import CCaptureProto

/// A message that converts to and from the struct that protobuf-c packs and unpacks. Generated code conforms to it.
protocol CStructMessage: WireMessage {
  associatedtype CStruct
  /// Parses the struct with protobuf-c, in memory from `allocator`; `nil`: the input is malformed, or memory is short.
  static func unpack(_ bytes: UnsafeRawBufferPointer, _ allocator: UnsafeMutablePointer<ProtobufCAllocator>)
    -> UnsafeMutablePointer<CStruct>?
  /// Copies the contents of `c`.
  init(reading c: UnsafePointer<CStruct>) throws(WireError)
  /// Initializes `c`. Everything that it points to lies in `arena`.
  func write(to c: UnsafeMutablePointer<CStruct>, in arena: inout Arena)
}

extension CStructMessage {
  public init(decoding body: UnsafeRawBufferPointer) throws(WireError) {
    // A `Result`, since the memory's function hands on no typed error before Swift 6.3.
    self = try withUnsafeTemporaryAllocation(byteCount: Arena.stackSize, alignment: 8) {
      memory -> Result<Self, WireError> in
      var arena = Arena(in: memory, budget: Arena.decodingBudget(body.count))
      return withUnsafeMutablePointer(to: &arena) { arena in
        var allocator = ProtobufCAllocator(arena)
        guard let message = Self.unpack(body, &allocator) else {
          return .failure(
            WireError(
              arena.pointee.isExhausted
                ? "\(Self.protoName): takes too much memory for its \(body.count) bytes"
                : "\(Self.protoName): not protobuf, or of another type"))
        }
        // Every struct of protobuf-c begins with its ProtobufCMessage.
        let type = UnsafeRawPointer(message).assumingMemoryBound(to: ProtobufCMessage.self).pointee
          .descriptor!
        if let field = StringCheck.fieldWithNUL(in: body, of: type) {
          return .failure(WireError("\(field) has a NUL (U+0000) in it, which no text may have"))
        }
        return Result { () throws(WireError) in try Self(reading: message) }
      }
    }.get()
  }

  /// What protobuf-c knows of the type.
  static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> {
    Self().withPackable { $0.pointee.descriptor }
  }

  public var encodedSize: Int {
    withPackable { protobuf_c_message_get_packed_size($0) }
  }

  public func encoded() -> [UInt8] {
    withPackable { Self.packed($0) }
  }

  public func encodedWhole() throws(WireError) -> [UInt8] {
    var isCut = false
    let bytes = withPackable(isCut: &isCut) { Self.packed($0) }
    if isCut { throw WireError("\(Self.protoName) has a text with a NUL (U+0000), which none may have") }
    return bytes
  }

  private static func packed(_ message: UnsafePointer<ProtobufCMessage>) -> [UInt8] {
    let size = protobuf_c_message_get_packed_size(message)
    // All threads share the storage of empty arrays, and this would write to it.
    guard size > 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      count = protobuf_c_message_pack(message, buffer.baseAddress)
    }
  }

  public func append(to buffer: inout [UInt8]) {
    withEncoded(room: 0) { buffer.append(contentsOf: UnsafeRawBufferPointer($0)) }
  }

  /// Passes the encoded message to `body`. Before it lie `room` bytes for the caller to fill. The memory is valid during `body`.
  func withEncoded<R>(room: Int, _ body: (UnsafeMutableRawBufferPointer) -> R) -> R {
    withPackable { message in
      let size = protobuf_c_message_get_packed_size(message)
      return withUnsafeTemporaryAllocation(byteCount: room + size, alignment: 8) { memory in
        if size > 0 {
          protobuf_c_message_pack(
            message, memory.baseAddress!.assumingMemoryBound(to: UInt8.self) + room)
        }
        return body(memory)
      }
    }
  }

  private func withPackable<R>(_ body: (UnsafePointer<ProtobufCMessage>) -> R) -> R {
    var isCut = false
    return withPackable(isCut: &isCut, body)
  }

  /// `isCut`: whether a string in the message was cut at a NUL.
  private func withPackable<R>(isCut: inout Bool, _ body: (UnsafePointer<ProtobufCMessage>) -> R) -> R {
    withUnsafeTemporaryAllocation(byteCount: Arena.stackSize, alignment: 8) { memory in
      var arena = Arena(in: memory)
      defer { isCut = arena.hasCutString }
      // Every struct of protobuf-c begins with its ProtobufCMessage.
      let message = UnsafeRawPointer(arena.message(self)).assumingMemoryBound(to: ProtobufCMessage.self)
      return withExtendedLifetime(arena) { body(message) }
    }
  }
}
