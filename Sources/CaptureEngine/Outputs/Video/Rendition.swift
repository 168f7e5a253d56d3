import CaptureControls
import CaptureModel
import CaptureSystem
import Synchronization

/// One form of a stream's frames, made once for all who ask for it: the camera's bytes, or a JPEG or another picture of one size and quality.
final class Rendition: Sendable {
  /// The form as its subscribers asked for it.
  let delivery: FramePlan.Delivery
  /// How it is made of the camera's frames; `nil`: the camera's frames are delivered as they come.
  private let work: PictureWork?
  fileprivate struct State {
    /// The subscriptions, in the order in which they came.
    var subscriptions: [FrameSubscription] = []
    var routes: [Route] = []
    /// Encodes, turns or cuts the frames; made for the first frame that needs it.
    var slot: EncodingSlot?
  }
  private let state = Mutex(State())
  private let hub: StreamHub
  private let camera: CameraID
  private let imaging: Imaging
  private let workers: FrameWorkers

  /// `larger`: the larger frames that the camera gives instead of the stream's; `nil`: it gives the stream's.
  init(
    _ delivery: FramePlan.Delivery, of hub: StreamHub, larger: LargerSource?, camera: CameraID,
    imaging: Imaging, workers: FrameWorkers
  ) {
    self.delivery = delivery
    work = (larger?.delivery(delivery) ?? delivery).work
    self.hub = hub
    self.camera = camera
    self.imaging = imaging
    self.workers = workers
  }

  deinit { end() }

  var subscriptions: [FrameSubscription] { state.withLock { $0.subscriptions } }

  func add(_ subscription: FrameSubscription) {
    state.withLock { state in
      state.subscriptions.append(subscription)
      if let route = state.routes.first(where: { $0.loop === subscription.sink.loop }) {
        route.add(subscription)
      } else {
        let route = Route(loop: subscription.sink.loop)
        route.add(subscription)
        state.routes.append(route)
      }
    }
  }

  /// Removes a subscription. Returns the subscriber's latest one, since its frames may have moved to another form meanwhile.
  func remove(_ subscription: FrameSubscription) -> FrameSubscription? {
    state.withLock { state in
      guard let place = state.subscriptions.firstIndex(where: { $0.isSame(as: subscription) }) else {
        return nil
      }
      let subscription = state.subscriptions.remove(at: place)
      if let index = state.routes.firstIndex(where: { $0.remove(subscription) }), state.routes[index].isEmpty
      {
        state.routes.remove(at: index)
      }
      return subscription
    }
  }

  /// Whether some subscriber wants a frame of that moment, and has a link with room for it beside the frames that are on their way. Without room the
  /// frame would wait, and be sent late.
  func wants(_ moment: FrameMoment) -> Bool { state.withLock { $0.hasRoom(at: moment.time) } }

  /// Notes a frame that the rendition is not offered.
  func skipped(_ moment: FrameMoment) {
    state.withLock { state in
      for subscription in state.subscriptions { subscription.skipped(moment.time) }
    }
  }

  /// Delivers a frame, or the picture that is made of it. The camera's bytes go to all subscribers whose turn it is. A picture is made only if some
  /// subscriber's link can take it.
  func deliver(_ frame: TakenFrame) {
    let taken = work == nil ? frame.asItComes(imaging) : frame
    let isUntouched = work == nil && taken.zoom.isIdentity
    let time = taken.moment.time
    state.withLock { state in
      let isWanted = isUntouched ? state.subscriptions.contains { $0.isDue(time) } : state.hasRoom(at: time)
      guard isWanted else {
        for subscription in state.subscriptions { subscription.skipped(time) }
        return
      }
      for subscription in state.subscriptions { subscription.noteTaken(taken.moment.ordinal, time) }
      if isUntouched, state.slot.map({ $0.underWay == 0 }) ?? true {
        let picture = taken.untouched
        for route in state.routes { route.post(picture) }
      } else {
        // The pictures that are still being made go first.
        let slot = state.slot ?? makeSlot()
        state.slot = slot
        state.forget(slot.submit(taken))
      }
    }
  }

  private func makeSlot() -> EncodingSlot {
    EncodingSlot(
      work ?? .asItComes(quality: JPEGSettings.videoQuality), of: camera, workers: workers
    ) { [weak self, weak hub] ordinal, result in
      hub?.noteEncode(result, of: ordinal)
      switch result {
      case .success(let picture): self?.post(picture)
      case .failure: self?.state.withLock { $0.forget([ordinal]) }
      }
    }
  }

  /// Ends the rendition: nobody uses it any more.
  func end() { state.withLock({ $0.slot })?.end() }

  private func post(_ picture: Picture) {
    for route in state.withLock({ $0.routes }) { route.post(picture) }
  }

  func post(interruption reason: String) {
    for route in state.withLock({ $0.routes }) { route.post(interruption: reason) }
  }

  func releaseBuffers() {
    let (slot, routes) = state.withLock { ($0.slot, $0.routes) }
    if let dropped = slot?.releaseBuffers() { state.withLock { $0.forget(dropped) } }
    for route in routes { route.releaseBuffers() }
  }
}

extension Rendition.State {
  fileprivate func hasRoom(at time: UInt64) -> Bool {
    let underWay = (slot?.underWay ?? 0) + (routes.lazy.map(\.underWay).max() ?? 0)
    return subscriptions.contains { $0.sink.room > underWay && $0.isDue(time) }
  }

  /// Notes that the slot has dropped frames.
  fileprivate func forget(_ ordinals: [UInt64]) {
    guard !ordinals.isEmpty else { return }
    for subscription in subscriptions { subscription.forget(ordinals) }
  }
}
