import CaptureModel
import CaptureSystem
import Synchronization

/// The photos that wait until their clients read them, and their bound.
final class UnreadPhotos: Sendable {
  private let bytes = Mutex(0)
  private let bound: Int

  /// The bytes that wait.
  var waiting: Int { bytes.withLock { $0 } }

  init(bound: Int) { self.bound = bound }

  /// Runs `send`, which returns once the client has taken the photo. Throws `resourceExhausted` where others wait already and there is no room for this
  /// one beside them.
  func count(_ photo: Payload, while send: () async throws -> Void) async throws {
    let size = photo.count
    let waiting = bytes.withLock { bytes in
      defer { if bytes == 0 || bytes + size <= bound { bytes += size } }
      return bytes
    }
    guard waiting == 0 || waiting + size <= bound else {
      throw NodeLimit.unreadPhotoBytes.exceeded(
        bound: bound,
        "photos of \(waiting) bytes wait for clients that do not read them, and this one has \(size); read or cancel one"
      )
    }
    defer { bytes.withLock { $0 -= size } }
    try await send()
  }
}
