import CaptureControls
import CaptureModel

extension StreamHub {
  /// Adds a consumer, which gets frames from the next one on. Returns the stream's position, and why no frames come now. Throws the reason if the
  /// stream is over.
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

  /// Removes a consumer, which gets no more frames.
  func leave(_ consumer: any FrameConsumer) {
    state.withLock { $0.consumers.removeAll { $0 === consumer } }
  }

  /// Withholds frames from all consumers except `consumer`, until ``offerToAll()``; `nil`: from all. Consumers are told of the frames that are
  /// withheld from them.
  func withhold(exceptFrom consumer: (any FrameConsumer)?) {
    state.withLock { $0.withholding = Withholding(exception: consumer.map { ObjectIdentifier($0) }) }
  }

  func offerToAll() { state.withLock { $0.withholding = nil } }

  var isWithholding: Bool { state.withLock { $0.withholding != nil } }

  func isJoined(by consumer: any FrameConsumer) -> Bool { consumers.contains { $0 === consumer } }

  /// The consumers, in the order in which they joined.
  var consumers: [any FrameConsumer] { state.withLock { $0.consumers } }

  /// How many discontinuities the stream has had.
  var epoch: UInt64 { state.withLock(\.epoch) }

  /// Whether no consumer keeps the stream running.
  var isIdle: Bool { !consumers.contains(where: \.keepsStreamRunning) }

  /// The client that keeps the stream running, and thereby keeps its format.
  var holder: RunningStream.Holder {
    consumers.first(where: \.keepsStreamRunning).map { .other($0.holder) } ?? .nobody
  }
}

extension StreamHub {
  /// Which consumer gets frames while they are withheld from all others.
  struct Withholding {
    /// The consumer that gets frames; `nil`: none does.
    var exception: ObjectIdentifier?
  }
}

extension StreamHub.State {
  /// The consumers that are offered frames, and those that only hear of them.
  var audience: (offered: [any FrameConsumer], withheld: [any FrameConsumer]) {
    guard let withholding else { return (consumers, []) }
    let offered = consumers.filter { ObjectIdentifier($0) == withholding.exception }
    return (offered, consumers.filter { ObjectIdentifier($0) != withholding.exception })
  }
}
