/// Elements that wait for a thread that is late, the oldest first. After a short delay of the machine, a few frames that came in one burst are all
/// kept. A reader that is always slower than the camera gets the newest frame.
struct Backlog<Element: Sendable>: Sendable {
  private let capacity: Int
  private var elements: [Element] = []

  /// - Parameter capacity: how many may wait. If one more comes, only the newest stays.
  init(capacity: Int) { self.capacity = capacity }

  var isEmpty: Bool { elements.isEmpty }
  var count: Int { elements.count }
  var first: Element? { elements.first }

  /// Adds an element, and returns those that it replaced. They may hold a camera's buffers, so release them outside of locks.
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
