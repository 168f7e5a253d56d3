import CaptureModel

/// The newest frames of a device's stream. Each stream for subscribers or for a session gets its own ``RecentFramesConsumer``; a stream that was
/// started for a photo gets none.
final class RecentFrames {
  private let bound: Int
  private var latest: RecentFramesConsumer?

  /// `bound`: the most bytes that are kept.
  init(bound: Int) { self.bound = bound }

  func makeOnlooker(for use: StreamUse) -> RecentFramesConsumer? {
    guard use.isForSubscribers else { return nil }
    let recent = RecentFramesConsumer(bound: bound, isOfSession: use.isOfSession)
    latest = recent
    return recent
  }

  /// The frames that are kept, the oldest first.
  var frames: [TakenFrame] { latest?.frames ?? [] }

  var reach: RecentReach {
    latest?.reach ?? RecentReach(duration: .zero, frames: 0, bytes: 0, bound: bound)
  }
}
