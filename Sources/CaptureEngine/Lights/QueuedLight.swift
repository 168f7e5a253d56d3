import CaptureLoop
import CaptureModel
import CaptureSystem
import Synchronization

/// A light that is driven on a thread of its own, since its driver may take any time. It gets its levels in the order in which they are given here.
final class QueuedLight: Sendable {
  private struct Order {
    var level: Double
    var isAwaited: Bool
    let done: @Sendable (Result<ControlMoment, CaptureError>) -> Void
  }
  private struct State {
    var waiting: [Order] = []
    var isAtWork = false
  }
  private let state = Mutex(State())
  private let light: any LightSource
  private let queue = QueueExecutor(label: "light", threads: .own)

  init(_ light: any LightSource) { self.light = light }

  var name: String { light.name }
  var steps: Int? { light.steps }
  var hasLevel: Bool { light.hasLevel }

  /// Sets the level. The result is the time at which the driver was given the level.
  func set(_ level: Double) async throws(CaptureError) -> ControlMoment {
    let result = await withCheckedContinuation { continuation in
      submit(Order(level: level, isAwaited: true) { continuation.resume(returning: $0) })
    }
    return try result.get()
  }

  /// Sets the level soon, unless a further one comes before the driver is free. `done`: called on the light's thread.
  func set(_ level: Double, done: @escaping @Sendable (CaptureError?) -> Void) {
    submit(
      Order(level: level, isAwaited: false) { result in
        if case .failure(let error) = result { done(error) } else { done(nil) }
      })
  }

  /// Reads the level before any level that is given later is set. `done`: called on the light's thread, unless the level cannot be read.
  func read(_ done: @escaping @Sendable (Double) -> Void) {
    queue.async { [light] in
      if let level = try? light.level() { done(level) }
    }
  }

  /// Returns when the light has all levels that were given so far.
  func settled() async {
    await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
  }

  private func submit(_ order: Order) {
    let begins = state.withLock { state in
      // While the driver does not answer, only the newest of the levels that nobody awaits is kept.
      if state.waiting.last?.isAwaited == false, !order.isAwaited { state.waiting.removeLast() }
      state.waiting.append(order)
      defer { state.isAtWork = true }
      return !state.isAtWork
    }
    if begins { queue.async { self.work() } }
  }

  private func work() {
    while let order = next() {
      order.done(
        Result { () throws(CaptureError) in
          let began = MonotonicClock.now()
          try light.set(order.level)
          return ControlMoment(began: began, ended: MonotonicClock.now())
        })
    }
  }

  private func next() -> Order? {
    state.withLock { state in
      state.isAtWork = !state.waiting.isEmpty
      return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
    }
  }
}
