import CaptureEngine
import CaptureModel
import Synchronization

/// A photo whose request has an id, while it is taken and for a while after that. Calls follow it; the photo does not end with them.
final class RequestedPhoto: Sendable {
  private struct State {
    /// What was told so far.
    var progress: [PhotoProgress] = []
    var result: Result<Photo, any Error>?
    var followers: [Int: AsyncStream<PhotoProgress>.Continuation] = [:]
    /// How many calls have followed.
    var calls = 0
    var task: Task<Void, Never>?
  }
  private let state = Mutex(State())
  let request: PhotoRequest
  let time: PhotoTime
  /// How long the photo goes on while no call follows it.
  private let grace: Duration

  init(_ request: PhotoRequest, at time: PhotoTime, grace: Duration) {
    (self.request, self.time, self.grace) = (request, time, grace)
  }

  /// `nil`: it is being taken.
  var result: Result<Photo, any Error>? { state.withLock { $0.result } }

  /// Begins to take it. `ended` is called at the end, on any thread.
  func begin(
    _ take: @escaping @Sendable (@escaping @Sendable (PhotoProgress) -> Void) async throws -> Photo,
    ended: @escaping @Sendable () -> Void
  ) {
    let task = Task {
      let result: Result<Photo, any Error>
      do { result = .success(try await take { self.tell($0) }) } catch { result = .failure(error) }
      let followers = state.withLock { state in
        (state.result, state.task) = (result, nil)
        return state.followers.values
      }
      ended()
      for follower in followers { follower.finish() }
    }
    state.withLock { if $0.result == nil { $0.task = task } }
  }

  private func tell(_ progress: PhotoProgress) {
    state.withLock { state in
      state.progress.append(progress)
      for follower in state.followers.values { follower.yield(progress) }
    }
  }

  /// What was told so far, and what will be, until there is a ``result``.
  func follow() -> AsyncStream<PhotoProgress> {
    let (stream, continuation) = AsyncStream.makeStream(of: PhotoProgress.self)
    let number = state.withLock { state in
      for progress in state.progress { continuation.yield(progress) }
      if state.result != nil { continuation.finish() }
      state.calls += 1
      state.followers[state.calls] = continuation
      return state.calls
    }
    continuation.onTermination = { [weak self] _ in self?.left(number) }
    return stream
  }

  private func left(_ number: Int) {
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
  var bytes: Int {
    state.withLock { state in
      guard case .success(let photo)? = state.result else { return 0 }
      let previews = state.progress.reduce(0) { sum, progress in
        if case .preview(let picture) = progress { sum + picture.payload.count } else { sum }
      }
      return photo.files.reduce(previews) { $0 + $1.picture.payload.count }
    }
  }
}
