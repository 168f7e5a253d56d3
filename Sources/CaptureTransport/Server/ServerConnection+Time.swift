import CaptureModel
import CaptureSystem
import CaptureWire
import Glibc

/// What a connection does when something is due (``ConnectionDeadlines``).
extension ServerConnection {
  func timerFired() {
    guard !isClosed else { return }
    let now = MonotonicClock.now()
    switch deadlines.fired(at: now, utc: Int64(time(nil))) {
    case .endUnknown: return cutUnknown(now)
    case .close: return close()
    case .endExpired: return cutExpired()
    case .wait: break
    case .sendDelayedAnswer: flush()
    case .work(let resumesReading, let looksForLateFrames):
      if resumesReading { updateReading() }
      if looksForLateFrames { lookForLateFrames() }
      pump.state.tick(now: now)
      if pump.state.isDead { return close("it no longer answers") }
      performActions()
      flush()
    }
    armTimer()
  }

  /// Ends the connection, which has not identified itself in time.
  private func cutUnknown(_ now: UInt64) {
    // If its Hello has not come, `tick` ends the connection, since the time for that is over too. A client that has sent nothing is told nothing.
    pump.state.tick(now: now)
    if pump.state.isDead { return close() }
    cut(
      ProtocolViolation(
        .unauthenticated, "this connection has not said who it is; pair first: capturectl pair",
        .init(.notIdentified)))
  }

  /// Ends the connection: the right of its caller has ended.
  private func cutExpired() {
    cut(
      ProtocolViolation(
        .unauthenticated, "the credential of '\(knownCaller.name)' has expired; pair again",
        .init(.credentialRefused)))
  }
}
