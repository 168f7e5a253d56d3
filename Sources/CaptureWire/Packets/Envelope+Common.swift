/// The packets that calls are made of, read and written without the way through protobuf-c's structs, which costs ten times as much. The
/// bytes are the same; what is unusual about a packet is left to protobuf-c.
extension Envelope {
  /// `nil`: another kind of packet, or one that is not written as usual. It may be legal all the same.
  init?(common bytes: UnsafeRawBufferPointer) {
    var reader = FieldReader(bytes)
    guard reader.tag() == 0x08 else { return nil }
    let callID = reader.number32()
    let found: Kind?
    switch reader.tag() {
    case 0x1A: found = Request(common: reader.bytes()).map { .request($0) }
    case 0x22: found = Message(common: reader.bytes()).map { .message($0) }
    case 0x32: found = Status(common: reader.bytes()).map { .status($0) }
    case 0x42: found = Credit(common: reader.bytes()).map { .credit($0) }
    default: return nil
    }
    guard let found, reader.isAtEnd, !reader.isUnusual else { return nil }
    self.init(callID: callID, kind: found)
  }

  /// Gives `body` the encoded envelope behind `room` bytes for it to fill, in memory that is valid there. `nil`: not a common packet.
  func withCommon<R>(room: Int, _ body: (UnsafeMutableRawBufferPointer) -> R) -> R? {
    switch kind {
    case .request(let request):
      guard request.metadata.isEmpty else { return nil }
      var method = request.method
      return method.withUTF8 { method -> R? in
        // protobuf-c's strings end there.
        guard !method.contains(0) else { return nil }
        let size = request.size(method: method.count)
        return withEncoded(room, 3, size, { request.write(method, to: &$0) }, body)
      }
    case .message(let message):
      return withEncoded(room, 4, message.size, { message.write(to: &$0) }, body)
    case .status(let status):
      guard status.text.isEmpty, status.metadata.isEmpty else { return nil }
      let size = FieldWriter.size(number: UInt64(status.code))
      return withEncoded(room, 6, size, { $0.number(1, UInt64(status.code)) }, body)
    case .credit(let credit):
      let size = FieldWriter.size(number: UInt64(credit.messages))
      return withEncoded(room, 8, size, { $0.number(1, UInt64(credit.messages)) }, body)
    default:
      return nil
    }
  }

  private func withEncoded<R>(
    _ room: Int, _ field: UInt8, _ count: Int, _ write: (inout FieldWriter) -> Void,
    _ body: (UnsafeMutableRawBufferPointer) -> R
  ) -> R {
    let size = FieldWriter.size(number: UInt64(callID)) + FieldWriter.size(message: count)
    return withUnsafeTemporaryAllocation(byteCount: room + size, alignment: 8) { memory in
      var writer = FieldWriter(memory.baseAddress! + room)
      writer.number(1, UInt64(callID))
      writer.begin(field, count: count)
      write(&writer)
      precondition(writer.next == memory.baseAddress! + memory.count)
      return body(memory)
    }
  }
}

extension Request {
  fileprivate init?(common bytes: UnsafeRawBufferPointer) {
    var reader = FieldReader(bytes)
    self.init()
    while let tag = reader.tag() {
      switch tag {
      case 0x0A: method = reader.string()
      case 0x10: timeoutMs = reader.number32()
      case 0x20: credit = reader.number32()
      case 0x2A: body = [UInt8](reader.bytes())
      case 0x30: last = reader.flag()
      case 0x38: payloadLength = reader.number()
      case 0x40: noMessage = reader.flag()
      default: return nil
      }
    }
    if reader.isUnusual { return nil }
  }

  fileprivate func size(method: Int) -> Int {
    FieldWriter.size(bytes: method) + FieldWriter.size(number: UInt64(timeoutMs))
      + FieldWriter.size(number: UInt64(credit)) + FieldWriter.size(bytes: body.count)
      + FieldWriter.size(flag: last) + FieldWriter.size(number: payloadLength)
      + FieldWriter.size(flag: noMessage)
  }

  fileprivate func write(_ method: UnsafeBufferPointer<UInt8>, to writer: inout FieldWriter) {
    writer.bytes(1, UnsafeRawBufferPointer(method))
    writer.number(2, UInt64(timeoutMs))
    writer.number(4, UInt64(credit))
    body.withUnsafeBytes { writer.bytes(5, $0) }
    writer.flag(6, last)
    writer.number(7, payloadLength)
    writer.flag(8, noMessage)
  }
}

extension Message {
  fileprivate init?(common bytes: UnsafeRawBufferPointer) {
    var reader = FieldReader(bytes)
    self.init()
    while let tag = reader.tag() {
      switch tag {
      case 0x0A: body = [UInt8](reader.bytes())
      case 0x10: last = reader.flag()
      case 0x18: payloadLength = reader.number()
      case 0x20: noMessage = reader.flag()
      default: return nil
      }
    }
    if reader.isUnusual { return nil }
  }

  fileprivate var size: Int {
    FieldWriter.size(bytes: body.count) + FieldWriter.size(flag: last)
      + FieldWriter.size(number: payloadLength) + FieldWriter.size(flag: noMessage)
  }

  fileprivate func write(to writer: inout FieldWriter) {
    body.withUnsafeBytes { writer.bytes(1, $0) }
    writer.flag(2, last)
    writer.number(3, payloadLength)
    writer.flag(4, noMessage)
  }
}

extension Status {
  fileprivate init?(common bytes: UnsafeRawBufferPointer) {
    var reader = FieldReader(bytes)
    self.init()
    while let tag = reader.tag() {
      switch tag {
      case 0x08: code = reader.number32()
      case 0x12: text = reader.string()
      default: return nil
      }
    }
    if reader.isUnusual { return nil }
  }
}

extension Credit {
  fileprivate init?(common bytes: UnsafeRawBufferPointer) {
    var reader = FieldReader(bytes)
    self.init()
    while let tag = reader.tag() {
      guard tag == 0x08 else { return nil }
      messages = reader.number32()
    }
    if reader.isUnusual { return nil }
  }
}
