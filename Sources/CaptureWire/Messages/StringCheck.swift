internal import CCaptureProto
import Glibc

/// Finds strings with a NUL in a message's bytes. protobuf-c ends them there, and the rest would be lost silently.
enum StringCheck {
  /// The field with such a string, "capture.v1.FormatsRequest.camera"; `nil`: there is none. `bytes` is a message of that type.
  static func fieldWithNUL(
    in bytes: UnsafeRawBufferPointer, of type: UnsafePointer<ProtobufCMessageDescriptor>
  ) -> String? {
    // As a rule there is no NUL at all.
    guard let start = bytes.baseAddress, memchr(start, 0, bytes.count) != nil else { return nil }
    var fields = LengthDelimitedFields(bytes)
    while let field = fields.next() {
      guard let description = protobuf_c_message_descriptor_get_field(type, field.number) else { continue }
      switch description.pointee.type {
      case PROTOBUF_C_TYPE_STRING where field.bytes.contains(0):
        return "\(String(cString: type.pointee.name)).\(String(cString: description.pointee.name))"
      case PROTOBUF_C_TYPE_MESSAGE:
        let inner = description.pointee.descriptor.assumingMemoryBound(to: ProtobufCMessageDescriptor.self)
        if let found = fieldWithNUL(in: field.bytes, of: inner) { return found }
      default: break
      }
    }
    return nil
  }
}

/// The fields of a message that are strings, bytes and messages. The sequence ends at the message's end, and where the bytes are malformed.
private struct LengthDelimitedFields {
  private var rest: UnsafeRawBufferPointer.SubSequence

  init(_ bytes: UnsafeRawBufferPointer) { rest = bytes[...] }

  mutating func next() -> (number: UInt32, bytes: UnsafeRawBufferPointer)? {
    while let tag = varint(), let number = UInt32(exactly: tag >> 3) {
      switch tag & 7 {
      case 0: guard varint() != nil else { return nil }
      case 1: guard take(8) != nil else { return nil }
      case 5: guard take(4) != nil else { return nil }
      case 2: return varint().flatMap { take($0) }.map { (number, $0) }
      default: return nil
      }
    }
    return nil
  }

  private mutating func varint() -> UInt64? {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 70, by: 7) {
      guard let byte = rest.popFirst() else { return nil }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
    }
    return nil
  }

  private mutating func take(_ count: UInt64) -> UnsafeRawBufferPointer? {
    guard count <= UInt64(rest.count) else { return nil }
    defer { rest = rest.dropFirst(Int(count)) }
    return UnsafeRawBufferPointer(rebasing: rest.prefix(Int(count)))
  }
}
