import CaptureModel
import CaptureWire
import Synchronization

/// Sends events to the client of a call, in order. Throws if there is no room for them.
struct SendPhotoEvents: Sendable {
  /// Makes room for what is told of a photo with so many files, before it is stored: beside its room among the unread ones, where its events are kept.
  let reserve: @Sendable (_ files: Int) throws(CaptureError) -> Void
  let send: @Sendable ([PhotoEvent], StoredPhotoRoom?) throws(CaptureError) -> Void

  /// `stored`: the room that the events have already, beside what was reserved for them. A photo that the library has must not be refused any more.
  func callAsFunction(_ events: [PhotoEvent], in stored: StoredPhotoRoom? = nil) throws(CaptureError) {
    try send(events, stored)
  }
}

/// The room that a photo had before it was stored.
struct StoredPhotoRoom: Sendable {
  let room: UnreadBytes.Room
  /// The size of its largest file, if that is read back from the library for the client; 0: none is.
  var readBack = 0
}

/// Takes the photos of a call, and sends their events.
typealias PhotoWork = @Sendable (SendPhotoEvents) async throws -> Void

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
    /// The room that was made for events, and for those to come.
    var reserved = 0
    var followers: [Int: Follower] = [:]
    /// How many calls have followed.
    var calls = 0
    var task: Task<Void, Never>?
  }
  /// An event, and its room among the events that wait for their client; `nil`: it needs none.
  typealias Followed = (event: PhotoEvent, room: UnreadBytes.Room?)
  /// Returns the room of an event that waits for the client of a call. Throws if there is none.
  typealias MakeRoom = @Sendable (PhotoEvent) throws(CaptureError) -> UnreadBytes.Room?

  /// A call that reads the events.
  private struct Follower: Sendable {
    let continuation: AsyncThrowingStream<Followed, any Error>.Continuation
    let makeRoom: MakeRoom

    /// Returns whether the events had room. Otherwise the caller ends it, outside of the lock.
    func add(_ events: [PhotoEvent]) -> CaptureError? {
      do throws(CaptureError) {
        for event in events { continuation.yield((event, try makeRoom(event))) }
        return nil
      } catch {
        return error
      }
    }
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
        let reserve: @Sendable (Int) throws(CaptureError) -> Void = { size throws(CaptureError) in
          try makeRoom(size)
          self.state.withLock { $0.reserved += size }
        }
        let send = SendPhotoEvents { files throws(CaptureError) in
          try reserve(files * PhotoEvent.bytesOfDescription)
        } send: { events, stored throws(CaptureError) in
          if stored == nil { try reserve(Self.size(of: events)) }
          // Each call that reads them makes room of its own.
          stored?.room.shrink(to: 0)
          self.append(events)
        }
        try await work(send)
        result = .success(())
      } catch {
        result = .failure(error)
      }
      let followers = state.withLock { state in
        (state.result, state.task) = (result, nil)
        return state.followers.values
      }
      ended()
      for follower in followers {
        if case .failure(let error) = result {
          follower.continuation.finish(throwing: error)
        } else {
          follower.continuation.finish()
        }
      }
    }
    state.withLock { if $0.result == nil { $0.task = task } }
  }

  private func append(_ events: [PhotoEvent]) {
    let refused = state.withLock { state in
      state.events += events
      return state.followers.values.compactMap { follower in follower.add(events).map { (follower, $0) } }
    }
    for (follower, error) in refused { follower.continuation.finish(throwing: error) }
  }

  /// The events so far, and those to come. They end as the photo does, or where one has no room.
  func follow(
    _ makeRoom: @escaping MakeRoom = { _ in nil }
  ) -> AsyncThrowingStream<Followed, any Error> {
    let (stream, continuation) = AsyncThrowingStream.makeStream(
      of: Followed.self, throwing: (any Error).self)
    let follower = Follower(continuation: continuation, makeRoom: makeRoom)
    let number = state.withLock { state in
      state.calls += 1
      return state.calls
    }
    // It is set before an event can be refused, which ends the stream.
    continuation.onTermination = { [weak self] _ in self?.followerLeft(number) }
    let result = state.withLock { state in
      let refusal = follower.add(state.events)
      state.followers[number] = follower
      return refusal.map { .failure($0) } ?? state.result
    }
    switch result {
    case .success: continuation.finish()
    case .failure(let error): continuation.finish(throwing: error)
    case nil: break
    }
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

  /// The size of all that room was made for: more than ``bytes`` where a photo was not stored after all.
  var reserved: Int { state.withLock { $0.reserved } }

  private static func size(of events: [PhotoEvent]) -> Int {
    events.reduce(0) { $0 + PhotoEvent.bytesOfDescription + ($1.data?.count ?? 0) }
  }
}
