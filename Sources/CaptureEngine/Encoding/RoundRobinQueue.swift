/// A queue in which keys take turns. Elements with the same key keep their order. So a key with many elements delays only itself.
struct RoundRobinQueue<Key: Equatable, Element> {
  /// The first one's turn is next.
  private var lines: [(key: Key, elements: [Element])] = []

  var isEmpty: Bool { lines.isEmpty }

  mutating func append(_ element: Element, of key: Key) {
    if let index = lines.firstIndex(where: { $0.key == key }) {
      lines[index].elements.append(element)
    } else {
      lines.append((key, [element]))
    }
  }

  mutating func popFirst() -> Element? {
    guard !lines.isEmpty else { return nil }
    var line = lines.removeFirst()
    let element = line.elements.removeFirst()
    if !line.elements.isEmpty { lines.append(line) }
    return element
  }
}
