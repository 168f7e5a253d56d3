import CaptureSystem
import Glibc
import Synchronization

/// Makes payloads with a pattern that repeats every 251 bytes, so that a misplaced byte shows. The last payload is kept.
public final class PatternPayloads: Sendable {
  private static let period = (0..<251).map { UInt8($0 * 31 % 251) }
  private let last = Mutex<Payload?>(nil)

  public init() {}

  /// `nil` for 0 bytes.
  public func payload(_ count: Int) -> Payload? {
    guard count > 0 else { return nil }
    return last.withLock { last in
      if let last, last.count == count { return last }
      var bytes: [UInt8] = []
      bytes.reserveCapacity(count + Self.period.count)
      while bytes.count < count { bytes.append(contentsOf: Self.period) }
      let made = Payload(copying: bytes[..<count])
      last = made
      return made
    }
  }

  /// Whether all of `payload` has the pattern.
  public static func matches(_ payload: Payload) -> Bool {
    payload.withContiguousBytes { bytes in
      var offset = 0
      while offset < bytes.count {
        let count = min(period.count, bytes.count - offset)
        if memcmp(bytes.baseAddress! + offset, period, count) != 0 { return false }
        offset += count
      }
      return true
    }
  }
}
