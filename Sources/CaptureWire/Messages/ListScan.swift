internal import CCaptureProto
import CaptureModel

/// Counts the entries of a message's lists without decoding it, so that a list that is too long costs next to nothing.
package enum ListScan {
  /// The most entries of a list in a client's request.
  public static let most = NodeLimit.listEntries.usual
  /// A message of at most this length has no list that is too long, itself or further in: an entry has at least two bytes.
  private static let short = 2 * most

  /// The name of a list that has more than ``most`` entries, in a message of that type or in one of the messages within it: "settings.tags". A
  /// message that occurs twice where it may occur once is named, too. `nil`: there is neither. It is also `nil` for bytes that are not such a
  /// message: decoding them fails later.
  package static func tooLong<Message: WireMessage>(
    in bytes: UnsafeRawBufferPointer, of type: Message.Type
  ) -> String? {
    guard bytes.count > short else { return nil }
    var name: String?
    Message().withCStruct { message, _ in
      name = tooLong(in: bytes, of: CStructCoder.base(message).pointee.descriptor)
    }
    return name
  }

  private static func tooLong(
    in bytes: UnsafeRawBufferPointer, of type: UnsafePointer<ProtobufCMessageDescriptor>
  ) -> String? {
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 32) { counts in
      counts.initialize(repeating: 0)
      var reader = Reader(bytes)
      while !reader.isAtEnd {
        guard let tag = reader.varint() else { return nil }
        let number = tag >> 3
        let field = UInt32(exactly: number).flatMap { protobuf_c_message_descriptor_get_field(type, $0) }
        // Lists of numbers are not counted: they are long, and cheap.
        if field?.pointee.isNumbers != true {
          // Fields with numbers above 30 share a place; the contract has none.
          counts[Int(min(number, 31))] += 1
          let count = counts[Int(min(number, 31))]
          if count > most { return field?.pointee.text ?? "field \(number)" }
          // A decoder joins a message that occurs again with the first one, and their lists become one. No encoder writes that.
          if count > 1, let field, field.pointee.message != nil, !field.pointee.isRepeated {
            return field.pointee.text
          }
        }
        switch tag & 7 {
        case 0: guard reader.varint() != nil else { return nil }
        case 1: guard reader.skip(8) != nil else { return nil }
        case 2:
          guard let count = reader.varint(), let part = reader.skip(count) else { return nil }
          if part.count > short, let field, let inner = field.pointee.message,
            let found = tooLong(in: part, of: inner)
          {
            return "\(field.pointee.text).\(found)"
          }
        case 5: guard reader.skip(4) != nil else { return nil }
        default: return nil
        }
      }
      return nil
    }
  }

  private struct Reader {
    private let bytes: UnsafeRawBufferPointer
    private var place = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { place == bytes.count }

    mutating func varint() -> UInt64? {
      var (value, shift): (UInt64, UInt64) = (0, 0)
      while place < bytes.count, shift < 64 {
        let byte = bytes[place]
        place += 1
        value |= UInt64(byte & 0x7F) &<< shift
        if byte < 0x80 { return value }
        shift += 7
      }
      return nil
    }

    mutating func skip(_ count: UInt64) -> UnsafeRawBufferPointer? {
      guard count <= UInt64(bytes.count - place) else { return nil }
      defer { place += Int(count) }
      return UnsafeRawBufferPointer(rebasing: bytes[place..<place + Int(count)])
    }
  }
}

extension ProtobufCFieldDescriptor {
  fileprivate var text: String { String(cString: name) }

  /// The type of the field's messages; `nil`: it has none.
  fileprivate var message: UnsafePointer<ProtobufCMessageDescriptor>? {
    type == PROTOBUF_C_TYPE_MESSAGE
      ? descriptor.assumingMemoryBound(to: ProtobufCMessageDescriptor.self) : nil
  }

  fileprivate var isRepeated: Bool { label == PROTOBUF_C_LABEL_REPEATED }

  /// Whether the field is a list of numbers.
  fileprivate var isNumbers: Bool {
    let others = [PROTOBUF_C_TYPE_STRING, PROTOBUF_C_TYPE_BYTES, PROTOBUF_C_TYPE_MESSAGE]
    return isRepeated && !others.contains(type)
  }
}
