import CaptureControls
import CaptureModel

/// Moves the subscribers of a stream that goes on in another format. The caller holds the gate `stream`, so new subscribers wait. Only a session's
/// subscribers do not need that gate, and a session's stream is never moved back.
extension VideoOutput {
  /// A move to another format, until the driver has accepted or refused the format.
  struct Move {
    /// The subscriptions whose form has changed, as they were.
    var changed: [FrameSubscription] = []
    /// The subscriptions that cannot have frames of the new format, and why. They get no frames until the move is over.
    var excluded: [(subscription: FrameSubscription, error: CaptureError)] = []
    /// The usual form in the former format.
    let usual: FramePlan.Delivery

    init(from usual: FramePlan.Delivery) { self.usual = usual }

    /// Removes a subscriber that was excluded. Returns its subscription; `nil`: it was not excluded.
    mutating func removeExcluded(_ subscription: FrameSubscription) -> FrameSubscription? {
      excluded.firstIndex { $0.subscription.isSame(as: subscription) }
        .map { excluded.remove(at: $0).subscription }
    }
  }

  /// Moves the subscribers to another format: each gets the form that is nearest to its present one. The different pictures are counted anew. If they
  /// are too many, the subscribers that came first keep theirs. This is called between two runs of the stream, before the driver is asked for the
  /// format. ``finishMove()`` or ``moveBack()`` follows, or the stream ends.
  func move(to running: RunningStream, from old: StreamFormat) {
    var discarded: UInt64 = 0
    state.withLock { state in
      assert(state.move == nil, "the move before is not over")
      var (move, plans) = (Move(from: state.usual), [FramePlan]())
      state.usual = State.usual(running.format.size)
      // Pictures that will not be made any more must not count, so all plans are made before the first subscriber moves.
      var count = RenditionCount(besides: state.usual)
      for subscription in state.subscriptions.sorted(by: { $0.arrival < $1.arrival }) {
        do throws(CaptureError) {
          let plan = try subscription.plan.moved(from: old, to: running)
          if let error = refusal(of: plan, for: subscription.holder, count) { throw error }
          count.add(plan.delivery, for: subscription.holder)
          guard plan != subscription.plan else { continue }
          move.changed.append(subscription)
          plans.append(plan)
        } catch {
          move.excluded.append((subscription, error))
        }
      }
      for (subscription, _) in move.excluded { _ = state.remove(subscription) }
      for (subscription, plan) in zip(move.changed, plans) {
        discarded += rejoin(subscription, as: plan, &state)
      }
      state.move = move
    }
    hub.countDiscarded(discarded)
  }

  /// Notes that the driver has accepted the format. The subscriptions that cannot have frames of that format end, with the reason.
  func finishMove() {
    let ended = state.withLock { $0.move.take()?.excluded ?? [] }
    hub.countDiscarded(ended.reduce(0) { $0 + $1.subscription.discarded })
    for (subscription, error) in ended { subscription.end(error) }
  }

  /// Gives the subscribers the form that they had, because the driver has refused the format. Called between two runs of the stream.
  func moveBack() {
    var discarded: UInt64 = 0
    state.withLock { state in
      guard let move = state.move else { return }
      state.usual = move.usual
      for subscription in move.changed + move.excluded.map(\.subscription) {
        discarded += rejoin(subscription, as: subscription.plan, &state)
      }
      state.move = nil
    }
    hub.countDiscarded(discarded)
  }

  /// Continues a subscription as `plan`, unless its subscriber has left. Returns how many frames the subscription had discarded before.
  private func rejoin(_ subscription: FrameSubscription, as plan: FramePlan, _ state: inout State) -> UInt64 {
    guard let former = state.remove(subscription) else { return 0 }
    let discarded = former.discarded
    join(FrameSubscription(former, as: plan, frames: state.frames, epoch: state.epoch), &state)
    return discarded
  }
}
