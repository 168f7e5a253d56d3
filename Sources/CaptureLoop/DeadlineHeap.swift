/// Elements sorted by the time at which they are due, the earliest first: a binary heap.
package struct DeadlineHeap<Element> {
  package typealias Entry = (due: UInt64, element: Element)
  private var entries: [Entry] = []

  package init() {}

  package var count: Int { entries.count }

  /// The entry that is due first.
  package var first: Entry? { entries.first }

  /// `due`: `CLOCK_MONOTONIC` nanoseconds.
  package mutating func insert(_ element: Element, due: UInt64) {
    entries.append((due, element))
    var index = entries.count - 1
    while index > 0, entries[index].due < entries[(index - 1) / 2].due {
      entries.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  /// Removes and returns the entry that is due first. The heap must not be empty.
  @discardableResult
  package mutating func removeFirst() -> Entry {
    entries.swapAt(0, entries.count - 1)
    let first = entries.removeLast()
    var index = 0
    while true {
      var least = index
      for child in 2 * index + 1...2 * index + 2 where child < entries.count {
        if entries[child].due < entries[least].due { least = child }
      }
      if least == index { return first }
      entries.swapAt(index, least)
      index = least
    }
  }

  /// Removes all elements but those for which `isKept` returns true.
  package mutating func filter(_ isKept: (Element) -> Bool) {
    // A sorted list is a heap.
    entries = entries.filter { isKept($0.element) }.sorted { $0.due < $1.due }
  }
}

extension DeadlineHeap: Sendable where Element: Sendable {}
