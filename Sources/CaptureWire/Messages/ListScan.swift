import CaptureModel

/// Counts the entries of a message's lists without decoding it, so that a list that is too long costs next to nothing.
package enum ListScan {
  /// The most entries of a list in a client's request.
  public static let most = NodeLimit.listEntries.usual
  /// A message of at most this length has no list that is too long: an entry has at least two bytes.
  private static let short = 2 * most
  /// Messages whose lists lie one message deeper: in this field.
  private static let within: [String: UInt64] = [
    "capture.v1.SetSettingsRequest": 2, "capture.v1.ConfigureSessionRequest": 2,
  ]

  /// Returns the number of a field that occurs more than ``most`` times in a message of that type. Returns `nil` where no field does. It also returns `nil`
  /// for bytes that are not such a message: decoding them fails later.
  package static func tooLong(in bytes: UnsafeRawBufferPointer, of type: String) -> UInt64? {
    bytes.count > short ? tooLong(in: bytes, deeper: within[type]) : nil
  }

  private static func tooLong(in bytes: UnsafeRawBufferPointer, deeper: UInt64?) -> UInt64? {
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 32) { counts in
      counts.initialize(repeating: 0)
      var reader = Reader(bytes)
      while !reader.isAtEnd {
        guard let tag = reader.varint() else { return nil }
        let number = tag >> 3
        // Fields with higher numbers share a place. The contract has none.
        counts[Int(min(number, 31))] += 1
        if counts[Int(min(number, 31))] > most { return number }
        switch tag & 7 {
        case 0: guard reader.varint() != nil else { return nil }
        case 1: guard reader.skip(8) != nil else { return nil }
        case 2:
          guard let count = reader.varint(), let part = reader.skip(count) else { return nil }
          if number == deeper, let number = tooLong(in: part, deeper: nil) { return number }
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
