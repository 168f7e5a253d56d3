import Synchronization

/// The room in which a call reads stored photos back from the library, one file at a time. It is split from the room that a photo had before it was
/// stored, so that reading back is never refused. It exists while photos of the call wait to be read back.
final class ReadBackRoom: Sendable {
  private struct Current {
    weak var room: UnreadBytes.Room?
  }
  private let current = Mutex(Current())

  /// Returns room for a file of `size` bytes; `nil`: none is needed. A photo keeps the room while it waits to be read back. If the call has no room
  /// of this size, a new one is split from `room`, and the smaller one is given back. Photos are read back in order, so the larger room stays until
  /// all that wait have been read.
  func take(_ size: Int, of room: UnreadBytes.Room) -> UnreadBytes.Room? {
    guard size > 0 else { return nil }
    return current.withLock { current in
      if let known = current.room, known.bytes >= size { return known }
      current.room?.shrink(to: 0)
      let part = room.split(size)
      current.room = part
      return part
    }
  }
}
