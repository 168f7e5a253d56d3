import CaptureSystem
import CaptureWire

/// Keeps frames fresh: only the newest frame of a call waits, and a frame on its way is aborted when finishing it would cost more than it is worth.
extension ServerConnection {
  /// A frame is stale if the socket has taken no bytes for so many nanoseconds.
  private static let stall: UInt64 = 200_000_000
  /// A frame is late if its client has not read it for this long, in nanoseconds.
  private static let lateness: UInt64 = 250_000_000
  /// A frame of so many bytes or fewer may be left to a client that reads it after its stream has ended, whatever others of its address have.
  private static let short = 1_048_576

  func offer(_ id: UInt32, _ offer: Offer) {
    guard let handler = running[id], !handler.isStopped else { return }
    if handler.offer != nil { discard(handler, 1) }
    handler.offer = offer
    abortStaleFrame(handler)
    promoteOffer(handler)
    if handler.hasWaiting { mayHaveWaiting = true }
    refreshFreeCredit(handler)
  }

  /// Sends the waiting frame, if it may be sent.
  func promoteOffer(_ handler: RunningHandler) {
    let id = handler.call.id
    guard let offer = handler.offer, !pump.isBlocked, pump.state.freeCredit(id) > 0 else { return }
    handler.offer = nil
    frameEnded(handler)
    handler.frameBegan = MonotonicClock.now()
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
  /// socket is stuck. It never aborts two partly sent frames in a row, since some frame has to arrive, unless the late frames of the client's address
  /// have too many bytes: each of those clients would keep a picture of its own in the node's memory.
  private func abortStaleFrame(_ handler: RunningHandler) {
    guard let frame = pump.state.frame(of: handler.call.id) else { return frameEnded(handler) }
    guard frame.isBegun, mayWait(handler, frame) else { return abort(handler, frame) }
    guard !handler.isFrameProtected else { return }
    let isLonger = frame.remaining > handler.offer?.payload?.count ?? 0
    let isStuck = pump.isBlocked && MonotonicClock.now() &- pump.lastProgress > Self.stall
    guard isLonger || isStuck else { return }
    abort(handler, frame)
  }

  /// Whether a frame may go on waiting for its client: it is not late, or the late frames of its address have few bytes together.
  private func mayWait(_ handler: RunningHandler, _ frame: Outbox.Frame) -> Bool {
    MonotonicClock.now() &- handler.frameBegan <= Self.lateness || countAsLate(handler, frame)
  }

  /// Counts the call's frame among the late ones of its address. Returns `false` if these have too many bytes: the frame has to be aborted.
  private func countAsLate(_ handler: RunningHandler, _ frame: Outbox.Frame) -> Bool {
    guard handler.lateBytes == 0 else { return true }
    guard originState.lateFrameBegan(bytes: frame.length, within: callBounds.lateFrameBytes) else {
      return false
    }
    handler.lateBytes = frame.length
    return true
  }

  /// Notes that the call's frame is not on its way any more.
  func frameEnded(_ handler: RunningHandler) {
    guard handler.lateBytes > 0 else { return }
    originState.lateFrameEnded(bytes: handler.lateBytes)
    handler.lateBytes = 0
  }

  /// Tells that no newer frame comes that could replace the one on its way. A long one counts as late from now on.
  func offersEnded(_ handler: RunningHandler) {
    guard let frame = pump.state.frame(of: handler.call.id), frame.length > Self.short,
      !countAsLate(handler, frame)
    else { return }
    abort(handler, frame)
  }

  /// Tells that the call ends, perhaps before its last frame is with its client. What is left of a long one counts until then.
  func leaveFrame(of handler: RunningHandler) {
    guard !isClosed, pump.state.frame(of: handler.call.id) != nil else { return frameEnded(handler) }
    offersEnded(handler)
    guard handler.lateBytes > 0 else { return }
    leftFrames[handler.call.id] = handler.lateBytes
    handler.lateBytes = 0
  }

  /// Notes that a message of a call was written whole, or with `nil` that nothing is written any more.
  func leftFrameEnded(of call: UInt32?) {
    guard !leftFrames.isEmpty else { return }
    let ended = call.map { leftFrames.removeValue(forKey: $0) ?? 0 } ?? leftFrames.values.reduce(0, +)
    if call == nil { leftFrames = [:] }
    originState.lateFrameEnded(bytes: ended)
  }

  private func abort(_ handler: RunningHandler, _ frame: Outbox.Frame) {
    guard pump.state.abortFrame(handler.call.id) else { return }
    frameEnded(handler)
    // The packet that was begun is copied: it is short, and the frame may be long.
    pump.state.releasePartial(of: handler.call.id)
    handler.pendingDiscards += frame.reportedDiscards
    handler.protectsNextFrame = frame.isBegun
    discard(handler, 1)
    scheduleFlush()
  }

  /// Frees the buffers of a camera that is short of them: the call with this id holds none of them afterwards.
  func releaseBuffers(_ id: UInt32) {
    guard let handler = running[id] else { return }
    if handler.offer != nil {
      handler.offer = nil
      discard(handler, 1)
    }
    if let frame = pump.state.frame(of: id) { abort(handler, frame) }
    pump.state.releasePartial(of: id)
    refreshFreeCredit(handler)
    if let status = handler.ending { end(handler, status) }
  }

  private func discard(_ handler: RunningHandler, _ count: UInt64) {
    handler.pendingDiscards += count
    handler.call.discardCount.wrappingAdd(count, ordering: .relaxed)
    counters.discarded.wrappingAdd(count, ordering: .relaxed)
  }
}
