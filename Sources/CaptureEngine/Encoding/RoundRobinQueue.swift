/// A queue in which keys take turns. Elements with the same key keep their order. So a key with many elements delays only itself.
struct RoundRobinQueue<Key: Equatable, Element> {
  /// One line for each key. The key of the first line has the next turn.
  private var lines: [(key: Key, elements: [Element])] = []

  var isEmpty: Bool { lines.isEmpty }

  mutating func append(_ element: Element, of key: Key) {
    if let index = lines.firstIndex(where: { $0.key == key }) {
      lines[index].elements.append(element)
    } else {
      lines.append((key, [element]))
    }
  }

  /// Removes and returns the first element in the order of turns for which `mayBeNext` is true. The elements before it keep their places.
  mutating func popFirst(where mayBeNext: (Element) -> Bool = { _ in true }) -> Element? {
    for place in lines.indices {
      guard let index = lines[place].elements.firstIndex(where: mayBeNext) else { continue }
      var line = lines.remove(at: place)
      let element = line.elements.remove(at: index)
      if !line.elements.isEmpty { lines.append(line) }
      return element
    }
    return nil
  }
}
