import Synchronization

/// The room in which a call reads back photos that the library has, one file at a time. It is a part of the room that a photo had before it was stored, so
/// that reading it back is never refused, and it is there while photos of the call wait for that.
final class ReadBackRoom: Sendable {
  private struct Current {
    weak var room: UnreadBytes.Room?
  }
  private let current = Mutex(Current())

  /// Returns room for a file of `size` bytes, which is made of `room` where the call has none as large; `nil`: it needs none. Whatever waits to be read back keeps
  /// it. A smaller one that the call had is given back: those that wait are read in order, so the larger one is there until they are.
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
