/// A line for a few places. The origins take turns, so an origin that has many in the line delays only its own.
struct HandshakeLine<Element> {
  /// The number of one that waits.
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

  /// Takes the next one out of the line.
  mutating func next() -> Element? {
    guard !places.isEmpty else { return nil }
    var place = places.removeFirst()
    let element = place.waiting.removeFirst().element
    if !place.waiting.isEmpty { places.append(place) }
    return element
  }

  /// Takes one out that does not wait any more. One that has been taken already is not in the line: then nothing changes.
  mutating func remove(_ ticket: Ticket) {
    for place in places.indices {
      guard let waiting = places[place].waiting.firstIndex(where: { $0.ticket == ticket }) else { continue }
      places[place].waiting.remove(at: waiting)
      if places[place].waiting.isEmpty { places.remove(at: place) }
      return
    }
  }
}
