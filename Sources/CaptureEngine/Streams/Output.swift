import CaptureModel
import CaptureSystem
import Synchronization

/// The subscribers of a stream that get the same bytes.
final class Output: Sendable {
  let delivery: FramePlan.Delivery
  /// Encodes or turns; `nil` where the camera's bytes are delivered.
  let slot: EncodingSlot?
  private let routes: Mutex<[Route]>
  /// Cuts the camera's pictures, from the first zoom on.
  private let zoomSlot = Mutex<EncodingSlot?>(nil)
  private let makeSlot: @Sendable () -> EncodingSlot

  /// `encoded` hears on a worker of each picture that is made of a frame.
  init(
    _ delivery: FramePlan.Delivery, encoder: @escaping @Sendable () -> any PictureEncoder,
    workers: EncoderWorkers,
    encoded: @escaping @Sendable (Result<Picture, CaptureError>) -> Void
  ) {
    self.delivery = delivery
    routes = Mutex([])
    let destination = Destination()
    let work = delivery.work ?? .own(quality: JPEGSettings.videoQuality)
    makeSlot = {
      EncodingSlot(work, encoder: encoder(), workers: workers) { result in
        encoded(result)
        if case .success(let picture) = result { destination.output?.post(picture) }
      }
    }
    slot = delivery.work == nil ? nil : makeSlot()
    destination.set(self)
  }

  /// Breaks the circle between an output and the slot that posts to it.
  private final class Destination: Sendable {
    private let reference = Mutex<WeakReference>(WeakReference())
    private struct WeakReference { weak var output: Output? }
    var output: Output? { reference.withLock { $0.output } }
    func set(_ output: Output) { reference.withLock { $0.output = output } }
  }

  /// Frames between the camera and the subscribers' sinks.
  var underWay: Int {
    ((slot ?? zoomSlot.withLock { $0 })?.underWay ?? 0) + routes.withLock { $0.map(\.underWay).max() ?? 0 }
  }

  var isEmpty: Bool { routes.withLock { $0.isEmpty } }

  func add(_ subscription: FrameSubscription) {
    routes.withLock { routes in
      if let route = routes.first(where: { $0.loop === subscription.sink.loop }) {
        route.add(subscription)
      } else {
        let route = Route(loop: subscription.sink.loop)
        route.add(subscription)
        routes.append(route)
      }
    }
  }

  func remove(_ subscription: FrameSubscription) {
    routes.withLock { routes in
      guard let index = routes.firstIndex(where: { $0.remove(subscription) }) else { return }
      if routes[index].isEmpty { routes.remove(at: index) }
    }
  }

  /// Hands on a frame, or has made of it what is delivered.
  func take(_ taken: TakenFrame) {
    if let slot { return slot.submit(taken) }
    let zoomSlot = zoomSlot.withLock { slot in
      if slot == nil, !taken.zoom.isIdentity { slot = makeSlot() }
      return slot
    }
    // Those that are still being cut go first.
    if let zoomSlot, !taken.zoom.isIdentity || zoomSlot.underWay > 0 { return zoomSlot.submit(taken) }
    post(taken.untouched)
  }

  func post(_ picture: Picture) {
    for route in routes.withLock({ $0 }) { route.post(picture) }
  }

  func post(interruption reason: String) {
    for route in routes.withLock({ $0 }) { route.post(interruption: reason) }
  }

  func relinquish() {
    (slot ?? zoomSlot.withLock { $0 })?.relinquish()
    for route in routes.withLock({ $0 }) { route.relinquish() }
  }
}
