import CaptureModel

/// Lines that wait to be written, in order, bounded by their bytes. Those for which there is no room are dropped, and counted in the place where they would be.
struct LogQueue {
  enum Entry: Hashable {
    case line(String)
    /// So many lines were dropped here.
    case dropped(Int)
  }

  /// In the order in which they came; taken from the end of `first`, and then from `others`.
  private var first: [Entry] = []
  private var others: [Entry] = []
  private(set) var bytes = 0
  private let most: Int

  init(most: Int = NodeLimit.logBytes.usual) { self.most = most }

  /// Adds a line, or drops it. Returns whether there is one more entry to take. `isRequired`: it is not dropped, whatever waits.
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
