import CaptureSystem
import CaptureWire

/// Freshness: of a call's frames only the newest waits, and one on its way is given up when finishing it would cost more than
/// it is worth.
extension ServerConnection {
  /// A frame none of which the socket has taken for this long is stale, nanoseconds.
  private static let stall: UInt64 = 200_000_000

  func offer(_ id: UInt32, _ offer: Offer) {
    guard let handler = running[id], !handler.isStopped else { return }
    if handler.offer != nil { discard(handler, 1) }
    handler.offer = offer
    abortStaleFrame(handler)
    promoteOffer(handler)
    refreshReadiness(handler)
  }

  /// Sends the waiting frame, if it may go.
  func promoteOffer(_ handler: RunningHandler) {
    let id = handler.call.id
    guard let offer = handler.offer, !pump.isBlocked, pump.state.freeCredit(id) > 0 else { return }
    handler.offer = nil
    handler.isFrameProtected = handler.protectsNextFrame
    handler.protectsNextFrame = false
    let discards = handler.pendingDiscards
    let message = RawMessage(body: offer.encode(discards), payload: offer.payload)
    do throws(RPCError) {
      try pump.state.send(id, message, reportedDiscards: discards, now: MonotonicClock.now())
      handler.pendingDiscards = 0
      scheduleFlush()
    } catch {
      // The frame's description does not fit the client's limit: the call cannot go on.
      pump.state.fail(id, error)
      stop(handler)
      scheduleFlush()
      return
    }
    if let status = handler.ending { end(handler, status) }
  }

  /// A frame of which a part is sent gives way to a newer one if what is left of it is more than the newer one as a whole, or
  /// if the socket has been stuck with it. Never twice in a row: some frame has to arrive.
  private func abortStaleFrame(_ handler: RunningHandler) {
    guard let frame = pump.state.outbox.frame(of: handler.call.id) else { return }
    guard frame.isBegun else { return abort(handler, frame) }
    guard !handler.isFrameProtected else { return }
    let isLonger = frame.remaining > handler.offer?.payload?.count ?? 0
    let isStuck = pump.isBlocked && MonotonicClock.now() &- pump.lastProgress > Self.stall
    guard isLonger || isStuck else { return }
    abort(handler, frame)
  }

  private func abort(_ handler: RunningHandler, _ frame: Outbox.Frame) {
    guard pump.state.abortFrame(handler.call.id) else { return }
    handler.pendingDiscards += frame.reportedDiscards
    handler.protectsNextFrame = frame.isBegun
    discard(handler, 1)
    scheduleFlush()
  }

  /// The camera is short of buffers: this call holds none when it returns.
  func relinquish(_ id: UInt32) {
    guard let handler = running[id] else { return }
    if handler.offer != nil {
      handler.offer = nil
      discard(handler, 1)
    }
    pump.state.outbox.releasePartial(of: id)
    if let frame = pump.state.outbox.frame(of: id) { abort(handler, frame) }
    refreshReadiness(handler)
    if let status = handler.ending { end(handler, status) }
  }

  private func discard(_ handler: RunningHandler, _ count: UInt64) {
    handler.pendingDiscards += count
    handler.call.discardCount.wrappingAdd(count, ordering: .relaxed)
    counters.discarded.wrappingAdd(count, ordering: .relaxed)
  }
}
