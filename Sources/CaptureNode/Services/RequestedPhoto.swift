import CaptureModel
import CaptureWire
import Synchronization

/// Sends events to the client of a call, in order. Throws if there is no room for them.
struct SendPhotoEvents: Sendable {
  /// Reserves room for the events of a photo with `files` files, without their data, before the photo is stored. Only a request whose events are kept
  /// for a retry needs this room, beside the photo's room among the unread bytes.
  let reserve: @Sendable (_ files: Int) throws(CaptureError) -> Void
  let send: @Sendable ([PhotoEvent], StoredPhotoRoom?) throws(CaptureError) -> Void

  /// `stored`: the room that the photo had before it was stored; the events need no other one, since a photo that the library has must not be refused
  /// any more.
  func callAsFunction(_ events: [PhotoEvent], in stored: StoredPhotoRoom? = nil) throws(CaptureError) {
    try send(events, stored)
  }
}

/// The room that a photo had before it was stored.
struct StoredPhotoRoom: Sendable {
  let room: UnreadBytes.Room
  /// The size of the photo's largest file, if the files are read back from the library for the client; 0: they are not.
  var readBack = 0
}

/// Takes the photos of a call, and sends their events.
typealias PhotoWork = @Sendable (SendPhotoEvents) async throws -> Void

/// The photo, bracket or burst of a request that has an id, while it is taken and for a while after that. Calls read its events, and it goes on when
/// a call ends.
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
    /// The events so far; those of one photo's files are together.
    var sent: [[PhotoEvent]] = []
    var result: Result<Void, any Error>?
    /// The bytes that were reserved for the events so far, and for those to come.
    var reserved = 0
    var followers: [Int: Follower] = [:]
    /// How many calls have read the events, or read them now.
    var calls = 0
    var task: Task<Void, Never>?
  }
  /// An event, and the room of its photo among those that wait for their client; `nil`: it needs none.
  typealias Followed = (event: PhotoEvent, room: UnreadBytes.Room?)
  /// Returns the room of a photo's files that wait for the client of a call. Throws if there is none.
  typealias MakeRoom = @Sendable ([PhotoEvent]) throws(CaptureError) -> UnreadBytes.Room?

  /// A call that reads the events.
  private struct Follower: Sendable {
    let continuation: AsyncThrowingStream<Followed, any Error>.Continuation
    let makeRoom: MakeRoom

    /// Adds events to the stream, all in one room: that in which they are already, or a new one. Returns the error if there is none; then the caller
    /// ends the stream, outside of the lock.
    func add(_ events: [PhotoEvent], in present: UnreadBytes.Room? = nil) -> CaptureError? {
      var room = present
      if room == nil {
        do throws(CaptureError) { room = try makeRoom(events) } catch { return error }
      }
      for event in events { continuation.yield((event, room)) }
      return nil
    }

    /// Adds the events that there are already.
    func add(sent: [[PhotoEvent]]) -> CaptureError? {
      for events in sent {
        if let refusal = add(events) { return refusal }
      }
      return nil
    }
  }
  private let state = Mutex(State())
  let asked: Asked
  /// How long taking the photo continues while no call reads its events.
  private let grace: Duration

  init(_ asked: Asked, grace: Duration) { (self.asked, self.grace) = (asked, grace) }

  /// How taking the photo has ended; `nil`: it is being taken.
  var result: Result<Void, any Error>? { state.withLock { $0.result } }

  /// Begins to take the photo. `makeRoom` gets the bytes of the events to keep, and throws if there is no room for them. `ended` is called at the
  /// end with the result, on any thread, before any call is told that the photo has ended.
  func begin(
    _ work: @escaping PhotoWork, makeRoom: @escaping @Sendable (Int) throws(CaptureError) -> Void,
    ended: @escaping @Sendable (Result<Void, any Error>) -> Void
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
          self.append(events, in: stored?.room)
        }
        try await work(send)
        result = .success(())
      } catch {
        result = .failure(error)
      }
      // Whoever is told the result may ask again at once.
      ended(result)
      let followers = state.withLock { state in
        (state.result, state.task) = (result, nil)
        return state.followers.values
      }
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

  /// `stored`: the room that the photo had before it was stored. One of the calls that read the events has it from now on, so that it is not refused a
  /// photo that the library has. The others make room for themselves, and may ask again.
  private func append(_ events: [PhotoEvent], in stored: UnreadBytes.Room?) {
    stored?.shrink(to: events.dataBytes)
    let (refused, unused) = state.withLock { state in
      state.sent.append(events)
      var room = stored
      let refused = state.followers.values.compactMap { follower in
        follower.add(events, in: room.take()).map { (follower, $0) }
      }
      return (refused, room)
    }
    unused?.shrink(to: 0)
    for (follower, error) in refused { follower.continuation.finish(throwing: error) }
  }

  /// The events so far, and those to come. The stream ends as the photo does, or with an error when an event has no room.
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
    // This is set before events are added, since an event that is refused ends the stream.
    continuation.onTermination = { [weak self] _ in self?.followerLeft(number) }
    let result = state.withLock { state in
      let refusal = follower.add(sent: state.sent)
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
      // Cancels the photo if no call has asked for it again.
      state.withLock { if $0.followers.isEmpty && $0.calls == calls { $0.task?.cancel() } }
    }
  }

  /// The bytes of all events that would be sent to a retry.
  var bytes: Int { state.withLock { $0.sent.reduce(0) { $0 + Self.size(of: $1) } } }

  /// The bytes that were reserved for events: more than ``bytes`` if a photo could not be stored.
  var reserved: Int { state.withLock { $0.reserved } }

  private static func size(of events: [PhotoEvent]) -> Int {
    events.count * PhotoEvent.bytesOfDescription + events.dataBytes
  }
}
