import CaptureModel

/// Lines that wait to be written, in order, bounded by their bytes. Lines for which there is no room are dropped; an entry in their place counts
/// them.
struct LogQueue {
  enum Entry: Hashable {
    case line(String)
    /// The number of lines that were dropped here.
    case dropped(Int)
  }

  /// The oldest entries, in reverse order: the next one is taken from the end.
  private var first: [Entry] = []
  /// The entries that came after those in `first`, in order.
  private var others: [Entry] = []
  private(set) var bytes = 0
  /// The most bytes that wait.
  private let most: Int

  init(most: Int = NodeLimit.logBytes.usual) { self.most = most }

  /// Adds a line, or drops it. Returns whether there is one more entry to take. `isRequired`: the line is not dropped, however many bytes wait.
  mutating func add(_ line: String, isRequired: Bool = false) -> Bool {
    let length = line.utf8.count
    if isRequired || bytes + length <= most {
      bytes += length
      others.append(.line(line))
      return true
    }
    if case .dropped(let count) = others.last {
      others[others.count - 1] = .dropped(count + 1)
      return false
    }
    others.append(.dropped(1))
    return true
  }

  /// Takes the entry that came first.
  mutating func next() -> Entry? {
    if first.isEmpty {
      first = others.reversed()
      others = []
    }
    let entry = first.popLast()
    if case .line(let line) = entry { bytes -= line.utf8.count }
    return entry
  }
}
