import CaptureSystem
import CaptureWire

/// Keeps frames fresh: only the newest frame of a call waits, and a frame on its way is aborted when finishing it would cost more than it is worth.
extension ServerConnection {
  /// A frame is stale if the socket has taken no bytes for so many nanoseconds.
  private static let stall: UInt64 = 200_000_000

  func offer(_ id: UInt32, _ offer: Offer) {
    guard let handler = running[id], !handler.isStopped else { return }
    if handler.offer != nil { discard(handler, 1) }
    handler.offer = offer
    frameCame(&handler.offerWait)
    abortStaleFrame(handler)
    promoteOffer(handler)
    if handler.offer != nil { frameWaits() }
    if handler.hasWaiting { mayHaveWaiting = true }
    refreshFreeCredit(handler)
  }

  /// Sends the waiting frame, if it may be sent.
  func promoteOffer(_ handler: RunningHandler) {
    let id = handler.call.id
    guard let offer = handler.offer, !pump.isBlocked, pump.state.freeCredit(id) > 0, pump.state.canSend(id)
    else { return }
    handler.offer = nil
    frameLeft(&handler.offerWait)
    frameCame(&handler.frameWait)
    handler.isFrameProtected = handler.protectsNextFrame
    handler.protectsNextFrame = false
    let discards = handler.pendingDiscards
    let message = RawMessage(body: offer.encode(discards), payload: offer.payload)
    do throws(RPCError) {
      try pump.state.send(id, message, reportedDiscards: discards)
      handler.pendingDiscards = 0
      scheduleFlush()
    } catch {
      // The frame's description exceeds the client's limit, so the call cannot go on.
      pump.state.fail(id, error)
      stop(handler)
      scheduleFlush()
      return
    }
    if let status = handler.ending { end(handler, status) }
  }

  /// Aborts the frame on its way in favour of a newer one: if nothing of it was sent yet, if its rest is longer than the whole newer frame, or if the
  /// socket is stuck. It never aborts two partly sent frames in a row, since some frame has to arrive, unless its client is late (``lookForLateFrames()``).
  private func abortStaleFrame(_ handler: RunningHandler) {
    guard let frame = pump.state.frame(of: handler.call.id) else { return }
    guard frame.isBegun else { return abort(handler, frame) }
    guard !handler.isFrameProtected else { return }
    let isLonger = frame.remaining > handler.offer?.payload?.count ?? 0
    let isStuck = pump.isBlocked && MonotonicClock.now() &- pump.lastProgress > Self.stall
    guard isLonger || isStuck else { return }
    abort(handler, frame)
  }

  func abort(_ handler: RunningHandler, _ frame: Outbox.Frame) {
    guard pump.state.abortFrame(handler.call.id) else { return }
    frameLeft(&handler.frameWait)
    // The packet that was begun is copied: it is short, and the frame may be long.
    pump.state.releasePartial(of: handler.call.id)
    handler.pendingDiscards += frame.reportedDiscards
    handler.protectsNextFrame = frame.isBegun || handler.isFrameProtected
    discard(handler, 1)
    scheduleFlush()
  }

  /// Frees the buffers of a camera that is short of them: the call with this id holds none of them afterwards.
  func releaseBuffers(_ id: UInt32) {
    guard let handler = running[id] else { return }
    if let frame = pump.state.frame(of: id) { abort(handler, frame) }
    pump.state.releasePartial(of: id)
    dropOffer(handler)
  }

  /// Drops the frame that waits for credit or room.
  func dropOffer(_ handler: RunningHandler) {
    if handler.offer != nil {
      handler.offer = nil
      frameLeft(&handler.offerWait)
      discard(handler, 1)
    }
    refreshFreeCredit(handler)
    if let status = handler.ending { end(handler, status) }
  }

  private func discard(_ handler: RunningHandler, _ count: UInt64) {
    handler.pendingDiscards += count
    handler.call.discardCount.wrappingAdd(count, ordering: .relaxed)
    counters.discarded.wrappingAdd(count, ordering: .relaxed)
  }
}
