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

  /// The room of one photo that waits. It is free again once nobody has this any more.
  final class Room: Sendable {
    private let photos: UnreadPhotos
    private let size: Int

    fileprivate init(_ photos: UnreadPhotos, _ size: Int) { (self.photos, self.size) = (photos, size) }
    deinit { photos.bytes.withLock { $0 -= size } }
  }

  /// Counts a photo among those that wait. Throws `resourceExhausted` where others wait already and there is no room for this one beside them.
  func room(for size: Int) throws(CaptureError) -> Room {
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
    return Room(self, size)
  }

  /// Runs `send`, which returns once the client has taken the photo. Throws as ``room(for:)`` does.
  func count(_ photo: Payload, while send: () async throws -> Void) async throws {
    let room = try room(for: photo.count)
    defer { withExtendedLifetime(room) {} }
    try await send()
  }
}
