import CaptureModel
import Synchronization

/// The photos, brackets and bursts whose requests have ids: a request that comes again gets the same ones. They are bounded in number, bytes and
/// time.
final class RequestedPhotos: Sendable {
  /// Who has asked, what takes the photo, and the id of the request.
  struct Key: Hashable, Sendable {
    var client = ""
    var origin: String
    var id: String
  }
  fileprivate struct State {
    var photos: [Key: RequestedPhoto] = [:]
    /// The photos that were taken, the oldest first, with the bytes of their events.
    var taken: [(key: Key, bytes: Int)] = []
    /// The bytes of brackets and bursts that are being taken.
    var growing = 0
    var bytes: Int { taken.reduce(growing) { $0 + $1.bytes } }
  }
  private let state = Mutex(State())
  private let count: Int
  private let bytes: Int
  /// `time`: how long a photo is kept after it was taken. `grace`: how long taking a photo continues while no call reads its events.
  private let (time, grace): (Duration, Duration)

  /// `count`: the most photos that are kept or being taken. `bytes`: the most bytes that their events may have together.
  init(count: Int, bytes: Int, time: Duration = .seconds(60), grace: Duration = .seconds(10)) {
    (self.count, self.bytes, self.time, self.grace) = (count, bytes, time, grace)
  }

  /// Returns the photo of that request, or begins to take it.
  ///
  /// Throws `invalidArgument` where another request has the id, and `resourceExhausted` where too many photos are being taken.
  func photo(
    _ key: Key, _ asked: RequestedPhoto.Asked, work: @escaping PhotoWork
  ) throws(CaptureError) -> RequestedPhoto {
    let (photo, isNew) = try state.withLock { state throws(CaptureError) in
      if let known = state.photos[key] {
        guard known.asked == asked else { throw Self.otherRequest(key.id) }
        return (known, false)
      }
      while state.photos.count >= count, !state.taken.isEmpty { state.forgetOldest() }
      guard state.photos.count < count else {
        throw NodeLimit.keptPhotos.exceeded(
          bound: count,
          "\(state.photos.count) photos with an id are being taken; ask again when one is there, or without an id"
        )
      }
      let photo = RequestedPhoto(asked, grace: grace)
      state.photos[key] = photo
      return (photo, true)
    }
    if isNew {
      photo.begin(work) { [weak self] size throws(CaptureError) in
        if asked.isSequence { try self?.grow(by: size) }
      } ended: { [weak self, weak photo] result in
        self?.ended(key, photo, result)
      }
    }
    return photo
  }

  /// Reserves memory for the next photo of a bracket or burst, and throws if there is none. A single photo needs no reservation: it is not kept if it
  /// is too large.
  private func grow(by size: Int) throws(CaptureError) {
    let isFull = state.withLock { state in
      while state.bytes + size > bytes, !state.taken.isEmpty { state.forgetOldest() }
      guard state.bytes + size <= bytes else { return true }
      state.growing += size
      return false
    }
    guard isFull else { return }
    throw NodeLimit.keptPhotoBytes.exceeded(
      bound: bytes,
      "photos of requests with an id are kept for a retry, and there is no room for another one; take it without an id, or store it in the library alone"
    )
  }

  /// Forgets a photo that failed at once, and a photo that was taken when its time is over or others need its room.
  private func ended(_ key: Key, _ photo: RequestedPhoto?, _ result: Result<Void, any Error>) {
    let size = photo?.bytes ?? 0
    let isKept = state.withLock { state in
      if let photo, photo.asked.isSequence { state.growing -= photo.reserved }
      guard photo != nil, case .success = result, size <= bytes else {
        state.photos[key] = nil
        return false
      }
      state.taken.append((key, size))
      while state.bytes > bytes { state.forgetOldest() }
      return true
    }
    guard isKept else { return }
    Task { [time, weak self, weak photo] in
      try? await Task.sleep(for: time)
      guard let self, let photo else { return }
      self.state.withLock { $0.forget(key, photo) }
    }
  }

  private static func otherRequest(_ id: String) -> CaptureError {
    CaptureError(
      .invalidArgument,
      "the id \(id.quoted) is that of another request; a retry repeats its settings, and a new photo has a new id",
      .init(.valueNotPossible, field: "settings.request_id", asked: .text(id)))
  }
}

extension RequestedPhotos.State {
  fileprivate mutating func forgetOldest() { photos[taken.removeFirst().key] = nil }

  fileprivate mutating func forget(_ key: RequestedPhotos.Key, _ photo: RequestedPhoto) {
    guard photos[key] === photo else { return }
    photos[key] = nil
    taken.removeAll { $0.key == key }
  }
}
