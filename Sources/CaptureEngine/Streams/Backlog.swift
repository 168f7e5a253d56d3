/// What waits for a thread that is late, oldest first. A few frames that came in one burst, because the machine gave nobody a turn for
/// a while, all go on; whoever is slower than the camera for good gets the newest.
struct Backlog<Element> {
  private let capacity: Int
  private var elements: [Element] = []

  /// - Parameter capacity: how many may wait. One more, and the newest alone stays.
  init(capacity: Int) { self.capacity = capacity }

  var isEmpty: Bool { elements.isEmpty }
  var count: Int { elements.count }

  /// Returns those that gave way. They may hold a camera's buffers: let go of them outside of locks.
  mutating func append(_ element: Element) -> [Element] {
    let replaced = elements.count == capacity ? removeAll() : []
    elements.append(element)
    return replaced
  }

  mutating func popFirst() -> Element? { elements.isEmpty ? nil : elements.removeFirst() }

  mutating func removeAll() -> [Element] {
    defer { elements.removeAll(keepingCapacity: true) }
    return elements
  }
}
