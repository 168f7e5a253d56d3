import CaptureModel
import CaptureWire
import Synchronization

/// Sends events to the client of a call, in order. Throws if there is no room for them.
typealias SendPhotoEvents = @Sendable ([PhotoEvent]) throws(CaptureError) -> Void

/// Takes the photos of a call, and sends their events.
typealias PhotoWork = @Sendable (@escaping SendPhotoEvents) async throws -> Void

/// The photo, bracket or burst of a request that has an id, while it is taken and for a while after that. Calls read its events; it does not end with a call.
final class RequestedPhoto: Sendable {
  /// What was asked for. A retry asks for the same.
  struct Asked: Hashable, Sendable {
    var photo: PhotoRequest
    var time = PhotoTime.next
    var bracket: [CaptureModel.BracketStep] = []
    var burst: Int?
    var store: PhotoStoring?

    var isSequence: Bool { !bracket.isEmpty || burst != nil }
  }

  private struct State {
    /// The events so far.
    var events: [PhotoEvent] = []
    var result: Result<Void, any Error>?
    var followers: [Int: AsyncStream<PhotoEvent>.Continuation] = [:]
    /// How many calls have followed.
    var calls = 0
    var task: Task<Void, Never>?
  }
  private let state = Mutex(State())
  let asked: Asked
  /// How long it continues while no call reads its events.
  private let grace: Duration

  init(_ asked: Asked, grace: Duration) { (self.asked, self.grace) = (asked, grace) }

  /// `nil`: it is being taken.
  var result: Result<Void, any Error>? { state.withLock { $0.result } }

  /// Begins to take it. `makeRoom` gets the size of each event, and throws if that cannot be kept. `ended` is called at the end, on any thread.
  func begin(
    _ work: @escaping PhotoWork, makeRoom: @escaping @Sendable (Int) throws(CaptureError) -> Void,
    ended: @escaping @Sendable () -> Void
  ) {
    let task = Task {
      let result: Result<Void, any Error>
      do {
        try await work { events throws(CaptureError) in
          try makeRoom(Self.size(of: events))
          self.append(events)
        }
        result = .success(())
      } catch {
        result = .failure(error)
      }
      let followers = state.withLock { state in
        (state.result, state.task) = (result, nil)
        return state.followers.values
      }
      ended()
      for follower in followers { follower.finish() }
    }
    state.withLock { if $0.result == nil { $0.task = task } }
  }

  private func append(_ events: [PhotoEvent]) {
    state.withLock { state in
      state.events += events
      for follower in state.followers.values {
        for event in events { follower.yield(event) }
      }
    }
  }

  /// The events so far, and those to come, until there is a ``result``.
  func follow() -> AsyncStream<PhotoEvent> {
    let (stream, continuation) = AsyncStream.makeStream(of: PhotoEvent.self)
    let number = state.withLock { state in
      for event in state.events { continuation.yield(event) }
      if state.result != nil { continuation.finish() }
      state.calls += 1
      state.followers[state.calls] = continuation
      return state.calls
    }
    continuation.onTermination = { [weak self] _ in self?.followerLeft(number) }
    return stream
  }

  private func followerLeft(_ number: Int) {
    let calls = state.withLock { state -> Int? in
      state.followers[number] = nil
      return state.followers.isEmpty && state.result == nil ? state.calls : nil
    }
    guard let calls else { return }
    Task { [grace] in
      try? await Task.sleep(for: grace)
      // Nobody has asked again.
      state.withLock { if $0.followers.isEmpty && $0.calls == calls { $0.task?.cancel() } }
    }
  }

  /// The size of all that would be sent again.
  var bytes: Int { state.withLock { Self.size(of: $0.events) } }

  private static func size(of events: [PhotoEvent]) -> Int {
    events.reduce(0) { $0 + sizeOfDescription + ($1.data?.count ?? 0) }
  }
  /// About what an event has besides its data.
  private static let sizeOfDescription = 1_000
}
