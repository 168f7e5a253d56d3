import CaptureModel
import Synchronization

/// The events that one reader has not read yet. A new event may make waiting ones needless, so that they do not pile up for a slow reader.
public final class Watch<Event: Sendable>: Sendable {
  private struct State {
    var waiting: [Event]
    var reader: CheckedContinuation<Void, Never>?
    var isOver = false
  }
  private let state: Mutex<State>
  private let add: @Sendable (Event, inout [Event]) -> Void
  private let ended: @Sendable (Watch) -> Void

  /// `events` wait from the beginning. `add` adds an event to those that wait, and removes those that it makes needless. `ended` is called at the
  /// end, on any thread.
  init(
    _ events: [Event], add: @escaping @Sendable (Event, inout [Event]) -> Void,
    ended: @escaping @Sendable (Watch) -> Void = { _ in }
  ) {
    state = Mutex(State(waiting: events))
    (self.add, self.ended) = (add, ended)
  }

  func notify(_ event: Event) { wake { add(event, &$0.waiting) } }

  /// Ends the watch.
  public func end() {
    wake { $0.isOver = true }
    ended(self)
  }

  /// Returns the next event; `nil` at the end, or when the task is cancelled. Only one task may wait for events.
  public func next() async -> Event? {
    while true {
      let (event, isOver) = state.withLock { state in
        (state.waiting.isEmpty ? nil : state.waiting.removeFirst(), state.isOver)
      }
      if let event { return event }
      if isOver || Task.isCancelled { return nil }
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let isReady = state.withLock { state -> Bool in
            if !state.waiting.isEmpty || state.isOver || Task.isCancelled { return true }
            state.reader = continuation
            return false
          }
          if isReady { continuation.resume() }
        }
      } onCancel: {
        wake { _ in }
      }
    }
  }

  private func wake(_ change: (inout State) -> Void) {
    let reader = state.withLock { state in
      change(&state)
      return state.reader.take()
    }
    reader?.resume()
  }
}

/// Watches the cameras of a node: first the cameras that are there, then what happens to each. A slow reader gets only the latest event of a camera.
public typealias DeviceWatch = Watch<CameraRoster.Event>

extension DeviceWatch {
  convenience init(_ cameras: [CameraRoster.Entry], ended: @escaping @Sendable (DeviceWatch) -> Void) {
    let present = cameras.map { Event(kind: .present, camera: $0) }
    self.init(
      present + [Event(kind: .listed)],
      add: { event, waiting in
        let place = waiting.firstIndex { $0.camera?.index == event.camera?.index }
        if event.kind == .changed, let place {
          // A change that has not been read yet gets the camera's present state.
          waiting[place].camera = event.camera
          return
        }
        waiting.removeAll { $0.kind != .present && $0.camera?.index == event.camera?.index }
        waiting.append(event)
      }, ended: ended)
  }
}

/// Watches a session: its status, then its events. A slow reader gets the present status in place of all events before it.
public typealias SessionWatch = Watch<SessionEvent>

extension SessionWatch {
  /// How many events may wait. If one more comes, the present status replaces them.
  private static var most: Int { 64 }

  convenience init(_ status: SessionStatus, ended: @escaping @Sendable (SessionWatch) -> Void) {
    self.init(
      [SessionEvent(.status, status: status)],
      add: { event, waiting in
        if waiting.count >= SessionWatch.most { waiting = [SessionEvent(.status, status: event.status)] }
        waiting.append(event)
      }, ended: ended)
  }
}
