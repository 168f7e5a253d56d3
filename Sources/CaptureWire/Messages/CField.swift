internal import CCaptureProto
internal import CaptureSystem

/// Reads the fields of protobuf-c's structs.
enum CField {
  /// Checks the encoding, since protobuf-c does not. It is not inlined: messages have some 500 strings.
  @inline(never)
  static func string(_ text: UnsafePointer<CChar>?, _ field: StaticString, of type: any WireMessage.Type)
    throws(WireError) -> String
  {
    guard let text, text.pointee != 0 else { return "" }
    guard let string = String(validatingCString: text) else {
      throw WireError("\(type.protoName).\(field) is not UTF-8")
    }
    return string
  }

  static func bytes(_ data: ProtobufCBinaryData) -> [UInt8] {
    [UInt8](UnsafeRawBufferPointer(start: data.data, count: data.len))
  }

  /// A payload that came inside the message.
  static func payload(_ data: ProtobufCBinaryData) -> Payload? {
    data.len == 0 ? nil : Payload(copying: UnsafeRawBufferPointer(start: data.data, count: data.len))
  }

  static func strings(
    _ pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, count: Int, _ field: StaticString,
    of type: any WireMessage.Type
  ) throws(WireError) -> [String] {
    var strings: [String] = []
    strings.reserveCapacity(count)
    for index in 0..<count { strings.append(try string(pointers![index], field, of: type)) }
    return strings
  }

  static func messages<M: CStructMessage>(
    _ pointers: UnsafeMutablePointer<UnsafeMutablePointer<M.CStruct>?>?, count: Int
  ) throws(WireError) -> [M] {
    var messages: [M] = []
    messages.reserveCapacity(count)
    for index in 0..<count { messages.append(try M(reading: pointers![index]!)) }
    return messages
  }

  static func scalars<T: BitwiseCopyable>(_ values: UnsafeMutablePointer<T>?, count: Int) -> [T] {
    [T](UnsafeBufferPointer(start: values, count: count))
  }
}
