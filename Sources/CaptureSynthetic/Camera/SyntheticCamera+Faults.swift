import CaptureSystem

extension SyntheticCamera {
  /// Makes the camera fail.
  package func inject(_ fault: SyntheticFault) async {
    switch fault {
    case .stall(let duration):
      let end = MonotonicClock.now() + duration.nanoseconds
      state.withLock { $0.faults.stalledUntil = end }
    case .flaggedFrames(let count): state.withLock { $0.faults.flagged = count }
    case .lostFrames(let count): state.withLock { $0.faults.lost = count }
    case .corruptFrames(let count): state.withLock { $0.faults.corrupt = count }
    case .truncatedFrames(let count): state.withLock { $0.faults.truncated = count }
    case .slowControls(let duration): state.withLock { $0.controlDelay = duration }
    case .unplug(let duration):
      if duration > .zero { await unplug(for: duration) }
    }
  }
}

extension Duration {
  fileprivate var nanoseconds: UInt64 {
    UInt64(components.seconds) * 1_000_000_000 + UInt64(components.attoseconds / 1_000_000_000)
  }
}
