import CaptureModel

extension StreamHub {
  /// A new consumer, from the next frame on. Returns how far the stream is, and why no frames come now; throws why it is over.
  @discardableResult
  func join(_ consumer: any FrameConsumer) throws(CaptureError) -> (
    frames: UInt64, epoch: UInt64, interruption: String?
  ) {
    try state.withLock { state throws(CaptureError) in
      if let end = state.end { throw end }
      state.consumers.append(consumer)
      return (state.frames, state.epoch, state.interruption)
    }
  }

  /// The consumer gets no more frames.
  func leave(_ consumer: any FrameConsumer) {
    state.withLock { $0.consumers.removeAll { $0 === consumer } }
  }

  func isJoined(by consumer: any FrameConsumer) -> Bool { consumers.contains { $0 === consumer } }

  /// In the order they came.
  var consumers: [any FrameConsumer] { state.withLock { $0.consumers } }

  /// Nobody keeps the stream running.
  var isIdle: Bool { !consumers.contains(where: \.keepsStreamRunning) }

  /// Who keeps the stream running, and so its format.
  var holder: RunningStream.Holder {
    consumers.first(where: \.keepsStreamRunning).map { .other($0.holder) } ?? .nobody
  }
}
