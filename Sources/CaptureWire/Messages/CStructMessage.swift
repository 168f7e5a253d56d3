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
    self.init()
    try CStructCoder.unpack(body, of: Self.self) {
      UnsafeRawPointer(Self.unpack(body, $0))
    } read: { message throws(WireError) in
      self = try Self(reading: message.assumingMemoryBound(to: CStruct.self))
    }
  }

  public func withCStruct(_ body: (_ message: UnsafeRawPointer, _ isCut: Bool) -> Void) {
    CStructCoder.write({ UnsafeRawPointer($0.message(self)) }, body)
  }
}
