import CaptureSystem

/// What a loop tells of a device that streams. Confined to the loop.
final class FrameWatch: LoopSource {
  private let poll: LoopPoll
  private var place: LoopPoll.Place?
  private let handler: () -> Void

  /// Calls `handler` while frames, or the device's end, wait, until ``cancel()``.
  init(_ descriptor: Int32, in loop: EventLoop, _ handler: @escaping () -> Void) throws(Errno) {
    poll = loop.poll
    self.handler = handler
    place = try poll.add(descriptor, self, for: [.readable, .urgent])
  }

  /// To be called before the device's descriptor is closed: a mapping keeps the open file alive, and the loop's epoll with it.
  func cancel() {
    if let place = place.take() { poll.remove(place) }
  }

  func ready(_ readiness: Readiness) { handler() }
}
