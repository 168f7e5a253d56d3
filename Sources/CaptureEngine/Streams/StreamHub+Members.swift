import CaptureModel
import CaptureSystem

extension StreamHub {
  /// A new subscriber, from the next frame on; where none come, it hears so at once. Throws why the stream is over.
  func add(_ plan: FramePlan, sink: any FrameSink, holder: String) throws(CaptureError) -> FrameSubscription {
    try add { frames, epoch in
      FrameSubscription(plan: plan, holder: holder, sink: sink, frames: frames, epoch: epoch)
    }
  }

  /// A subscriber that comes from another stream, or changes how it gets this one's frames.
  func add(
    _ plan: FramePlan, sink: any FrameSink, holder: String, continuing account: SubscriptionAccount,
    entry: StreamDiscontinuity?
  ) throws(CaptureError) -> FrameSubscription {
    try add { frames, epoch in
      FrameSubscription(
        plan: plan, holder: holder, sink: sink, continuing: account, entry: entry, frames: frames,
        epoch: epoch)
    }
  }

  private func add(_ make: (_ frames: UInt64, _ epoch: UInt64) -> FrameSubscription) throws(CaptureError)
    -> FrameSubscription
  {
    let added = state.withLock { state -> Result<FrameSubscription, CaptureError> in
      if let end = state.end { return .failure(end) }
      let subscription = make(state.frames, state.epoch)
      let delivery = subscription.plan.delivery
      let output = state.outputs.first { $0.delivery == delivery } ?? state.addOutput(makeOutput(delivery))
      output.add(subscription)
      state.subscriptions.append(subscription)
      if let reason = state.interruption {
        let text = "\(reason); \(state.silence)"
        subscription.sink.loop.async { subscription.deliver(interruption: text) }
      }
      return .success(subscription)
    }
    return try added.get()
  }

  /// The subscriber leaves.
  func remove(_ subscription: FrameSubscription) {
    subscription.end(nil)
    release(subscription)
  }

  /// The subscriber gets no more of this stream.
  func release(_ subscription: FrameSubscription) {
    state.withLock { state in
      guard let index = state.subscriptions.firstIndex(where: { $0 === subscription }) else { return }
      subscription.leave(frames: state.frames, epoch: state.epoch)
      state.subscriptions.remove(at: index)
      state.counters.discarded += subscription.discarded
      guard let place = state.outputs.firstIndex(where: { $0.delivery == subscription.plan.delivery }) else {
        return
      }
      state.outputs[place].remove(subscription)
      if state.outputs[place].isEmpty { state.outputs.remove(at: place) }
    }
  }

  /// A photo to be taken of the first frame it accepts.
  func add(_ photo: PhotoTap) throws(CaptureError) {
    let end = state.withLock { state -> CaptureError? in
      if state.end == nil { state.photos.append(photo) }
      return state.end
    }
    if let end { throw end }
  }

  func remove(_ photo: PhotoTap) {
    state.withLock { $0.photos.removeAll { $0 === photo } }
  }

  /// "the last frame came 12 s ago"
  var silence: String { state.withLock(\.silence) }

  /// Whether anybody wants frames.
  var isIdle: Bool { state.withLock { $0.subscriptions.isEmpty && $0.photos.isEmpty } }

  /// Why the stream is over.
  var end: CaptureError? { state.withLock { $0.end } }

  /// Who fixed the format, for a person.
  var holder: String { state.withLock { $0.subscriptions.first?.holder ?? "a photo" } }

  private func makeOutput(_ delivery: FramePlan.Delivery) -> Output {
    Output(delivery, encoder: imaging.makeEncoder, workers: workers) { [weak self] result in
      self?.note(result)
    }
  }

  /// Counts an encode.
  func note(_ result: Result<Picture, CaptureError>) {
    state.withLock { state in
      switch result {
      case .success(let picture):
        state.counters.encoded += 1
        state.counters.encodeTime += picture.description.encodeTime ?? .zero
      case .failure(let error):
        state.counters.lastError = PastError(error.message)
      }
    }
    if case .failure(let error) = result { tell(.encodingFailed, error.message) }
  }
}

extension StreamHub.State {
  fileprivate var silence: String {
    let seconds = (MonotonicClock.now() - lastFrame) / 1_000_000_000
    return frames == 0
      ? "it has given none in \(seconds) s" : "the last frame came \(seconds) s ago"
  }

  fileprivate mutating func addOutput(_ output: Output) -> Output {
    outputs.append(output)
    return output
  }
}
