import CaptureSystem
import CaptureWire

/// Bounds what the node keeps of frames for clients that are late to read them. Of a picture that many clients get there is one, but a client that reads a part
/// of it keeps that one while the others go on; and clients that ask for few frames a second wait for different ones.
extension ServerConnection {
  /// Notes that a frame waits for its client.
  func frameWaits() {
    guard !deadlines.isLookPlanned else { return }
    deadlines.planLook(from: MonotonicClock.now())
    armTimer()
  }

  /// Counts the frames that are late. A frame for which the late ones of its address leave no room is aborted, or dropped if nothing of it was sent.
  func lookForLateFrames() {
    // In no order: the first calls would have all the room, again and again.
    for handler in running.values.shuffled() where !handler.isStopped && !handler.offerWait.isUnused {
      look(at: handler)
    }
  }

  private func look(at handler: RunningHandler) {
    let id = handler.call.id
    if let frame = pump.state.frame(of: id) {
      if handler.frameWait.lateBytes == 0 {
        if !handler.frameWait.look() {
          frameWaits()
        } else if !count(&handler.frameWait, frame.length, within: callBounds.lateFrameBytes) {
          abort(handler, frame)
          refreshFreeCredit(handler)
        }
      }
    } else {
      frameLeft(&handler.frameWait)
      // The frame's last chunk may have begun, which would keep the whole frame.
      if handler.frameWait.look() { pump.state.releasePartial(of: id) } else { frameWaits() }
    }
    guard let payload = handler.offer?.payload, handler.offerWait.lateBytes == 0 else { return }
    if !handler.offerWait.look() {
      frameWaits()
    } else if !count(&handler.offerWait, payload.count, within: callBounds.lateFrameBytes) {
      dropOffer(handler)
    }
  }

  /// Counts a late frame. Returns `false` if the late frames of the client's address leave no room for it.
  private func count(_ wait: inout FrameWait, _ bytes: Int, within bound: Int) -> Bool {
    guard originState.lateFrameBegan(bytes: bytes, within: bound) else { return false }
    wait.lateBytes = bytes
    return true
  }

  /// Notes that another frame has the place of this wait.
  func frameCame(_ wait: inout FrameWait) {
    frameLeft(&wait)
    wait.begin()
  }

  /// Notes that the frame has left its place: a late one does not count any more.
  func frameLeft(_ wait: inout FrameWait) {
    guard wait.lateBytes > 0 else { return }
    originState.lateFrameEnded(bytes: wait.lateBytes)
    wait.lateBytes = 0
  }

  // MARK: Calls that end

  /// Tells that a call ends, perhaps before its last frame is with its client. What is left of that counts as late from now on.
  func leaveFrame(of handler: RunningHandler) {
    frameLeft(&handler.offerWait)
    guard !isClosed, let frame = pump.state.frame(of: handler.call.id) else {
      return frameLeft(&handler.frameWait)
    }
    if handler.frameWait.lateBytes == 0 {
      // A frame of which nothing was sent is the newest. There is more room for it.
      let bound = frame.isBegun ? callBounds.lateFrameBytes : 2 * callBounds.lateFrameBytes
      guard count(&handler.frameWait, frame.length, within: bound) else { return abort(handler, frame) }
    }
    leftFrames[handler.call.id] = handler.frameWait.lateBytes
    handler.frameWait.lateBytes = 0
  }

  /// Notes that the last message of a call that has ended was sent, or that its last chunk has begun.
  func leftFrameEnded(of call: UInt32) {
    guard let bytes = leftFrames.removeValue(forKey: call) else { return }
    originState.lateFrameEnded(bytes: bytes)
    // The chunk would keep the whole frame.
    pump.state.releasePartial(of: call)
  }

  /// Notes that nothing of the calls that have ended is sent any more.
  func leftFramesEnded() {
    originState.lateFrameEnded(bytes: leftFrames.values.reduce(0, +))
    leftFrames = [:]
  }
}
