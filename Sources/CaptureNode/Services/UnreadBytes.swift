import CaptureModel
import Synchronization

/// The bytes of answers that wait until their clients read them, and their bound.
final class UnreadBytes: Sendable {
  private let bytes = Mutex(0)
  private let limit: NodeLimit
  private let bound: Int
  private let contents: String

  /// The bytes that wait.
  var waiting: Int { bytes.withLock { $0 } }

  /// `contents`: what the answers bring, for a person: "photos".
  init(_ limit: NodeLimit, bound: Int, of contents: String) {
    (self.limit, self.bound, self.contents) = (limit, bound, contents)
  }

  /// The room of one answer that waits. The room is free again once nobody refers to this object any more.
  final class Room: Sendable {
    private let all: UnreadBytes
    private let size: Mutex<Int>

    var bytes: Int { size.withLock { $0 } }

    fileprivate init(_ all: UnreadBytes, _ size: Int) {
      self.all = all
      self.size = Mutex(size)
    }
    deinit { shrink(to: 0) }

    /// Gives back all but `less` bytes.
    func shrink(to less: Int) {
      let rest = size.withLock { size in
        defer { size = min(size, less) }
        return max(size - less, 0)
      }
      all.bytes.withLock { $0 -= rest }
    }

    /// Makes a room of `part` bytes of this one, or of all its bytes where it has fewer.
    func split(_ part: Int) -> Room {
      let part = size.withLock { size in
        let taken = min(size, part)
        size -= taken
        return taken
      }
      return Room(all, part)
    }
  }

  /// Counts an answer among those that wait. Throws `resourceExhausted` if other answers wait already, and there is no room for this one beside them.
  func room(for size: Int) throws(CaptureError) -> Room {
    let waiting = bytes.withLock { bytes in
      defer { if bytes == 0 || bytes + size <= bound { bytes += size } }
      return bytes
    }
    guard waiting == 0 || waiting + size <= bound else {
      throw limit.exceeded(
        bound: bound,
        "\(waiting) bytes of \(contents) wait for clients that do not read them, and \(size) more have no room; read or cancel some"
      )
    }
    return Room(self, size)
  }
}
