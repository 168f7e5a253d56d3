import CaptureSystem

/// The faults that wait for their frames.
struct PendingFaults {
  var flagged = 0
  var lost = 0
  var corrupt = 0
  var truncated = 0
  /// The end of a stall, on the monotonic clock in nanoseconds.
  var stalledUntil: UInt64 = 0

  /// The reason why a frame does not come.
  enum Absence { case stalled, lost, flagged }

  mutating func next(at now: UInt64) -> Absence? {
    if now < stalledUntil { return .stalled }
    if take(\.lost) { return .lost }
    return take(\.flagged) ? .flagged : nil
  }

  /// The damage of a frame that comes.
  enum Damage { case truncated, corrupt }

  mutating func damage(isJPEG: Bool) -> Damage? {
    if take(\.truncated) { return .truncated }
    return isJPEG && take(\.corrupt) ? .corrupt : nil
  }

  private mutating func take(_ fault: WritableKeyPath<PendingFaults, Int>) -> Bool {
    guard self[keyPath: fault] > 0 else { return false }
    self[keyPath: fault] -= 1
    return true
  }
}

extension PendingFaults.Damage {
  func applied(to payload: Payload) -> Payload {
    var bytes = payload.bytes
    switch self {
    case .truncated: bytes.removeLast(bytes.count / 2)
    case .corrupt:
      // The middle is filled with markers that no scan has.
      for index in bytes.count / 2..<bytes.count * 3 / 4 { bytes[index] = index & 1 == 0 ? 0xFF : 0xC0 }
    }
    return Payload(copying: bytes)
  }
}
