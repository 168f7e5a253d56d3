import CaptureControls
import CaptureModel
import CaptureSystem
import Synchronization

/// The live frames of one stream, for all subscribers. It has one rendition for each form that a subscriber asked for.
final class VideoOutput: Sendable {
  struct State {
    var renditions: [Rendition] = []
    /// How many subscribers have come so far.
    var arrivals: UInt64 = 0
    /// The latest frame's number in the stream, whether the frame was offered or skipped.
    var frames: UInt64 = 0
    var epoch: UInt64 = 0
    /// Why no frames come now.
    var interruption: String?
    /// The form for a request that names no size or quality.
    var usual: FramePlan.Delivery
    /// The larger frames that the camera gives instead of the stream's; `nil`: it gives the stream's.
    var larger: LargerSource?
    /// A move to another format that the driver has not taken yet; `nil`: there is none.
    var move: Move?
    /// Why nobody can subscribe any more.
    var end: CaptureError?

    init(_ size: FrameSize) { usual = Self.usual(size) }

    static func usual(_ size: FrameSize) -> FramePlan.Delivery {
      .jpeg(JPEGSettings(size: size, quality: JPEGSettings.videoQuality))
    }

    /// The present subscriptions. Some may have no frames while the stream moves.
    var subscriptions: [FrameSubscription] {
      renditions.flatMap(\.subscriptions) + (move?.excluded.map(\.subscription) ?? [])
    }

    var renditionCount: RenditionCount {
      var count = RenditionCount(besides: usual)
      for rendition in renditions {
        for subscription in rendition.subscriptions {
          count.add(rendition.delivery, for: subscription.holder)
        }
      }
      return count
    }

    /// Removes a subscriber. Returns its present subscription; `nil`: it has none here.
    mutating func remove(_ subscription: FrameSubscription) -> FrameSubscription? {
      for place in renditions.indices {
        guard let former = renditions[place].remove(subscription) else { continue }
        if renditions[place].subscriptions.isEmpty { renditions.remove(at: place).end() }
        former.leave(frames: frames, epoch: epoch)
        return former
      }
      return move?.removeExcluded(subscription)
    }
  }
  /// Only this class and its extensions in this folder use the state.
  let state: Mutex<State>
  let hub: StreamHub
  private let camera: CameraID
  private let imaging: Imaging
  private let workers: FrameWorkers
  private let limits: NodeLimits

  /// Joins a stream that has begun, with frames of that size.
  init(
    of hub: StreamHub, _ size: FrameSize, camera: CameraID, imaging: Imaging, workers: FrameWorkers,
    limits: NodeLimits
  ) {
    self.hub = hub
    self.camera = camera
    self.imaging = imaging
    self.workers = workers
    self.limits = limits
    state = Mutex(State(size))
    state.withLock { state in
      do throws(CaptureError) {
        (state.frames, state.epoch, state.interruption) = try hub.join(self)
      } catch {
        state.end = error
      }
    }
  }

  /// Adds a subscriber, which gets frames from the next one on. If no frames come at present, the subscriber hears of that at once.
  ///
  /// A subscriber that had frames before brings its `account`: it comes from another stream, or it changes the form of its frames. `discontinuity`
  /// says why its frames differ from those before. Throws the reason if the stream is over. Throws `resourceExhausted` where too many different
  /// pictures are made of the stream.
  func add(
    _ plan: FramePlan, sink: any FrameSink, holder: String, continuing account: SubscriptionAccount? = nil,
    discontinuity: StreamDiscontinuity? = nil
  ) throws(CaptureError) -> FrameSubscription {
    try state.withLock { state throws(CaptureError) in
      if let error = state.end ?? refusal(of: plan, for: holder, state.renditionCount) { throw error }
      if let larger = state.larger, larger.delivery(plan.delivery) == nil {
        throw larger.refusal(of: camera)
      }
      state.arrivals += 1
      let subscription = FrameSubscription(
        plan: plan, holder: holder, sink: sink, continuing: account, discontinuity: discontinuity,
        frames: state.frames, epoch: state.epoch, arrival: state.arrivals, timeline: hub.timeline)
      join(subscription, &state)
      if let text = hub.noSignal ?? state.interruption.map({ "\($0); \(hub.silence)" }) {
        subscription.sink.loop.async { subscription.deliver(interruption: text) }
      }
      return subscription
    }
  }

  func join(_ subscription: FrameSubscription, _ state: inout State) {
    let delivery = subscription.plan.delivery
    if let rendition = state.renditions.first(where: { $0.delivery == delivery }) {
      rendition.add(subscription)
    } else {
      state.renditions.append(rendition(delivery, of: state.larger, for: [subscription]))
    }
  }

  private func rendition(
    _ delivery: FramePlan.Delivery, of larger: LargerSource?, for subscriptions: [FrameSubscription]
  ) -> Rendition {
    let rendition = Rendition(
      delivery, of: hub, larger: larger, camera: camera, imaging: imaging, workers: workers)
    for subscription in subscriptions { rendition.add(subscription) }
    return rendition
  }

  /// Sets the larger format in which the camera runs from now on; `nil`: the stream's own. Subscribers' frames keep their form. Called between two
  /// runs of the stream.
  func setLarger(_ larger: LargerSource?) {
    state.withLock { state in
      state.larger = larger
      for place in state.renditions.indices {
        let former = state.renditions[place]
        former.end()
        state.renditions[place] = rendition(former.delivery, of: larger, for: former.subscriptions)
      }
    }
    // Subscribers may have come after it was checked that larger frames exclude nobody.
    guard let larger else { return }
    for subscription in subscriptions where larger.delivery(subscription.plan.delivery) == nil {
      subscription.end(larger.refusal(of: camera))
      release(subscription)
    }
  }

  /// The subscribers whose frames cannot be made of larger ones.
  func holders(excludedBy larger: LargerSource) -> [String] {
    subscriptions.filter { larger.delivery($0.plan.delivery) == nil }.map(\.holder)
  }

  func refusal(of plan: FramePlan, for holder: String, _ count: RenditionCount) -> CaptureError? {
    count.refusal(of: plan.delivery, for: holder, camera: camera, limits: limits)
  }

  /// Removes a subscriber that wants no more frames, and ends its subscription.
  func remove(_ subscription: FrameSubscription) {
    subscription.end(nil)
    release(subscription)
  }

  /// Gives a subscriber no more frames of this stream. That does not end the subscription.
  func release(_ subscription: FrameSubscription) {
    let discarded = state.withLock { $0.remove(subscription) }?.discarded ?? 0
    hub.countDiscarded(discarded)
  }

  var subscriptions: [FrameSubscription] { state.withLock(\.subscriptions) }
}

extension VideoOutput: FrameConsumer {
  var keepsStreamRunning: Bool { state.withLock { !$0.renditions.isEmpty } }

  /// The subscriber that came first.
  var holder: String { state.withLock { $0.renditions.first?.subscriptions.first?.holder } ?? "" }

  func wants(_ moment: FrameMoment) -> Bool {
    state.withLock { $0.renditions.contains { $0.wants(moment) } }
  }

  func take(_ frame: TakenFrame) -> NextFrame {
    state.withLock { state in
      (state.frames, state.epoch, state.interruption) = (frame.moment.ordinal, frame.moment.epoch, nil)
      for rendition in state.renditions { rendition.deliver(frame) }
    }
    return .stay
  }

  /// For subscribers a damaged frame counts as discarded, since the camera has numbered it.
  func skipped(_ moment: FrameMoment, _ why: SkipReason) {
    state.withLock { state in
      (state.frames, state.epoch) = (moment.ordinal, moment.epoch)
      if why == .corrupt { state.interruption = nil }
      for rendition in state.renditions { rendition.skipped(moment) }
    }
  }

  func streamEvent(_ event: StreamEvent) {
    switch event {
    case .interrupted(let reason):
      state.withLock { state in
        state.interruption = reason
        for rendition in state.renditions { rendition.post(interruption: reason) }
      }
    case .buffersLow:
      for rendition in state.withLock({ $0.renditions }) { rendition.releaseBuffers() }
    case .ended(let error):
      let subscriptions = state.withLock { state in
        defer { (state.renditions, state.move, state.end) = ([], nil, state.end ?? error) }
        for rendition in state.renditions { rendition.end() }
        let subscriptions = state.subscriptions
        for subscription in subscriptions { subscription.leave(frames: state.frames, epoch: state.epoch) }
        return subscriptions
      }
      let discarded = subscriptions.reduce(0) { $0 + $1.discarded }
      hub.countDiscarded(discarded)
      for subscription in subscriptions { subscription.streamEnded(error) }
    }
  }
}
