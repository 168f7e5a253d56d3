internal import CCaptureProto

/// Packs and unpacks protobuf-c's structs, whatever their types. Each type of message adds the part that differs. Generic functions would be compiled
/// once for each of the contract's messages, which took a quarter of this module's release build.
enum CStructCoder {
  /// Calls `read` with the struct that `parse` makes of `body`, in memory that it takes from the allocator. The struct is valid during `read`.
  @inline(never)
  static func unpack(
    _ body: UnsafeRawBufferPointer, of type: any WireMessage.Type,
    parse: (UnsafeMutablePointer<ProtobufCAllocator>) -> UnsafeRawPointer?,
    read: (UnsafeRawPointer) throws(WireError) -> Void
  ) throws(WireError) {
    // The closure returns a `Result`, since `withUnsafeTemporaryAllocation` passes on no typed error before Swift 6.3.
    try withUnsafeTemporaryAllocation(byteCount: Arena.stackSize, alignment: 8) {
      memory -> Result<Void, WireError> in
      var arena = Arena(in: memory, budget: Arena.decodingBudget(body.count))
      return withUnsafeMutablePointer(to: &arena) { arena in
        var allocator = ProtobufCAllocator(arena)
        guard let message = parse(&allocator) else {
          return .failure(
            WireError(
              arena.pointee.isExhausted
                ? "\(type.protoName): takes too much memory for its \(body.count) bytes"
                : "\(type.protoName): not protobuf, or of another type"))
        }
        if let field = StringCheck.fieldWithNUL(in: body, of: base(message).pointee.descriptor) {
          return .failure(WireError("\(field) has a NUL (U+0000) in it, which no text may have"))
        }
        return Result { () throws(WireError) in try read(message) }
      }
    }.get()
  }

  /// Calls `body` with the struct that `write` makes in an arena, and with whether a string in it was cut at a NUL.
  @inline(never)
  static func write(
    _ write: (inout Arena) -> UnsafeRawPointer, _ body: (_ message: UnsafeRawPointer, _ isCut: Bool) -> Void
  ) {
    withUnsafeTemporaryAllocation(byteCount: Arena.stackSize, alignment: 8) { memory in
      var arena = Arena(in: memory)
      let message = write(&arena)
      body(message, arena.hasCutString)
      withExtendedLifetime(arena) {}
    }
  }

  /// Every struct of protobuf-c begins with its ProtobufCMessage.
  static func base(_ message: UnsafeRawPointer) -> UnsafePointer<ProtobufCMessage> {
    message.assumingMemoryBound(to: ProtobufCMessage.self)
  }

  static func packed(_ message: UnsafeRawPointer) -> [UInt8] {
    let size = packedSize(message)
    // All threads share the storage of empty arrays, and packing into one would write to it.
    guard size > 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      count = protobuf_c_message_pack(base(message), buffer.baseAddress)
    }
  }

  static func packedSize(_ message: UnsafeRawPointer) -> Int {
    protobuf_c_message_get_packed_size(base(message))
  }

  /// Appends `room` zeros, and then the packed message.
  static func append(_ message: UnsafeRawPointer, to buffer: inout [UInt8], room: Int) {
    let size = packedSize(message)
    withUnsafeTemporaryAllocation(byteCount: room + size, alignment: 8) { memory in
      memory.prefix(room).initializeMemory(as: UInt8.self, repeating: 0)
      if size > 0 {
        protobuf_c_message_pack(base(message), memory.baseAddress!.assumingMemoryBound(to: UInt8.self) + room)
      }
      buffer.append(contentsOf: UnsafeRawBufferPointer(memory))
    }
  }
}
