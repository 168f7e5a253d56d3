import CaptureLoop
import CaptureModel
import CaptureSystem

/// The calls and requests that wait for a camera, in the order in which they came. The time to add, remove or serve one grows with the logarithm of
/// how many wait.
struct LeaseLine: Sendable {
  enum Waiter: Sendable {
    case call(LeaseBook.Call)
    /// A request for a lease, and until when it waits.
    case request(LeaseBook.Ticket, LeaseRequest, LeaseToken, until: UInt64)

    var ticket: LeaseBook.Ticket {
      switch self {
      case .call(let call): call.ticket
      case .request(let ticket, _, _, _): ticket
      }
    }
  }

  private var waiters: [LeaseBook.Ticket: Waiter] = [:]
  private var calls = Lane()
  private var requests = Lane()
  private var ends = DeadlineHeap<LeaseBook.Ticket>()
  private var arrivals: UInt64 = 0

  var isEmpty: Bool { waiters.isEmpty }
  var count: Int { waiters.count }

  /// The first moment at which the patience of a request is over.
  var nextEnd: UInt64? { ends.first?.due }

  mutating func append(_ waiter: Waiter) {
    arrivals += 1
    waiters[waiter.ticket] = waiter
    switch waiter {
    case .call: calls.append(waiter.ticket, arrivals)
    case .request(let ticket, _, _, let until):
      requests.append(ticket, arrivals)
      ends.insert(ticket, due: until)
    }
  }

  /// Returns `false` if no call or request with this ticket waits here.
  mutating func remove(_ ticket: LeaseBook.Ticket) -> Bool {
    guard waiters.removeValue(forKey: ticket) != nil else { return false }
    tidy()
    return true
  }

  /// Removes the first call or request.
  mutating func removeFirst() -> Waiter? {
    let isCall = calls.first?.arrival ?? .max < requests.first?.arrival ?? .max
    return removeFirst(of: isCall ? \.calls : \.requests)
  }

  /// Removes the first call.
  mutating func removeFirstCall() -> Waiter? { removeFirst(of: \.calls) }

  /// Removes a request whose patience is over.
  mutating func removeOverdue(at now: UInt64) -> Waiter? {
    guard let first = ends.first, first.due <= now else { return nil }
    let waiter = waiters.removeValue(forKey: first.element)
    tidy()
    return waiter
  }

  private mutating func removeFirst(of lane: WritableKeyPath<LeaseLine, Lane>) -> Waiter? {
    guard let ticket = self[keyPath: lane].first?.ticket else { return nil }
    let waiter = waiters.removeValue(forKey: ticket)
    tidy()
    return waiter
  }

  /// Removes the entries of waiters that have gone. Afterwards no list begins with such an entry, and each list has at most twice as many entries as
  /// there are waiters, plus 16.
  private mutating func tidy() {
    calls.tidy(waiters)
    requests.tidy(waiters)
    while let first = ends.first, waiters[first.element] == nil { ends.removeFirst() }
    if ends.count > 2 * waiters.count + 16 { ends.filter { waiters[$0] != nil } }
  }
}

extension LeaseLine {
  /// Tickets in the order in which they came.
  private struct Lane: Sendable {
    private var entries: [(ticket: LeaseBook.Ticket, arrival: UInt64)] = []
    private var start = 0

    var first: (ticket: LeaseBook.Ticket, arrival: UInt64)? { start < entries.count ? entries[start] : nil }

    mutating func append(_ ticket: LeaseBook.Ticket, _ arrival: UInt64) { entries.append((ticket, arrival)) }

    mutating func tidy(_ waiters: [LeaseBook.Ticket: Waiter]) {
      while let first, waiters[first.ticket] == nil { start += 1 }
      guard entries.count > 2 * waiters.count + 16 else { return }
      entries = entries[start...].filter { waiters[$0.ticket] != nil }
      start = 0
    }
  }
}
