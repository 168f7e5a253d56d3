/// The messages of a call that wait, in order; there is at least one.
struct Lane {
  let call: UInt32
  var first: OutgoingMessage
  /// The messages after the first one. Most calls send one message at a time, and have none here.
  private var others: [OutgoingMessage] = []

  init(_ message: OutgoingMessage) {
    call = message.call
    first = message
  }

  mutating func append(_ message: OutgoingMessage) { others.append(message) }

  /// Removes the first message. Returns `false` where it was the only one: the lane is over.
  mutating func removeFirst() -> Bool {
    guard !others.isEmpty else { return false }
    first = others.removeFirst()
    return true
  }

  /// The first message that has bytes in no packet yet; `nil`: none has.
  var nextToPlan: OutgoingMessage? {
    first.isPlannedWhole ? others.first { !$0.isPlannedWhole } : first
  }

  /// How many payload bytes are in no packet that was begun.
  var uncommitted: Int {
    others.reduce(first.length - first.committed) { $0 + $1.length - $1.committed }
  }

  func forEach(_ body: (OutgoingMessage) -> Void) {
    body(first)
    others.forEach(body)
  }
}
