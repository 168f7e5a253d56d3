/// A line of elements that wait for a few places. The origins take turns, so an origin with many elements in the line delays only its own.
struct HandshakeLine<Element> {
  /// The number of an element that waits.
  typealias Ticket = UInt64

  private struct Place {
    let origin: Origin
    var waiting: [(ticket: Ticket, element: Element)]
  }

  /// The origins of which something waits; the first one's turn is next.
  private var places: [Place] = []
  private var lastTicket: Ticket = 0

  var count: Int { places.reduce(0) { $0 + $1.waiting.count } }

  mutating func add(_ element: Element, of origin: Origin) -> Ticket {
    lastTicket += 1
    if let place = places.firstIndex(where: { $0.origin == origin }) {
      places[place].waiting.append((lastTicket, element))
    } else {
      places.append(Place(origin: origin, waiting: [(lastTicket, element)]))
    }
    return lastTicket
  }

  /// Takes the next element out of the line.
  mutating func next() -> Element? {
    guard !places.isEmpty else { return nil }
    var place = places.removeFirst()
    let element = place.waiting.removeFirst().element
    if !place.waiting.isEmpty { places.append(place) }
    return element
  }

  /// Takes out an element that does not wait any more. It does nothing if ``next()`` has taken that element already.
  mutating func remove(_ ticket: Ticket) {
    for place in places.indices {
      guard let waiting = places[place].waiting.firstIndex(where: { $0.ticket == ticket }) else { continue }
      places[place].waiting.remove(at: waiting)
      if places[place].waiting.isEmpty { places.remove(at: place) }
      return
    }
  }
}
