import CaptureSystem
import CaptureWire

/// What the client knows about the node's clock.
struct ClockEstimate {
  var offset: ClockOffset?
  var measuredAt: UInt64 = 0
  var isMeasuring = false
}

extension ClientConnection {
  /// How many pings one measurement takes.
  private static let burst = 8
  /// How many nanoseconds a measurement is valid.
  private static let lifetime: UInt64 = 2_000_000_000

  /// Sends a Ping and waits for its Pong. Fails with DEADLINE_EXCEEDED after `timeout`. That does not end the connection, since frames may well
  /// arrive meanwhile.
  public func ping(timeout: Duration = .seconds(10)) async throws(RPCError) -> PingSample {
    if let failure = pump.state.failure { throw failure }
    var bound: Task<Void, any Error>?
    defer { bound?.cancel() }
    let result = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<PingSample, RPCError>, Never>) in
      var now = MonotonicClock.now()
      while pings[now] != nil { now += 1 }
      pings[now] = continuation
      bound = Task { [weak self, now] in
        try await Task.sleep(for: timeout)
        await self?.giveUpPing(sentAt: now, after: timeout)
      }
      pump.state.ping(now: now)
      scheduleFlush()
    }
    return try result.get()
  }

  private func giveUpPing(sentAt time: UInt64, after timeout: Duration) {
    pings.removeValue(forKey: time)?.resume(
      returning: .failure(
        RPCError(
          .deadlineExceeded, "the node did not answer a Ping within \(timeout)", .init(.deadlineExceeded))))
  }

  /// The node's clock relative to this side's, from the quickest of a burst of pings. Only the first measurement is waited for. A later call returns
  /// the last result, and starts the next measurement if the last one is more than 2 seconds old.
  public func clockOffset() async throws(RPCError) -> ClockOffset {
    if let hello = pump.state.hello, !hello.bootID.isEmpty, hello.bootID == MonotonicClock.bootID {
      return ClockOffset(nanoseconds: 0, error: 0)
    }
    guard let known = clock.offset else { return try await measureClock() }
    if MonotonicClock.now() &- clock.measuredAt > Self.lifetime, !clock.isMeasuring {
      clock.isMeasuring = true
      Task { [weak self] in _ = try? await self?.measureClock() }
    }
    return known
  }

  private func measureClock() async throws(RPCError) -> ClockOffset {
    clock.isMeasuring = true
    defer { clock.isMeasuring = false }
    var best = try await ping()
    for _ in 1..<Self.burst {
      let sample = try await ping()
      if sample.roundTrip < best.roundTrip { best = sample }
    }
    clock.offset = best.offset
    clock.measuredAt = MonotonicClock.now()
    return best.offset
  }
}
