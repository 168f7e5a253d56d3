/// When something is due on a node's connection, and what that is. The protocol's own times, those of the Hello, of calls and of the keepalive, are in
/// `ServerConnectionState` (`due`).
///
/// Times are in nanoseconds of the monotonic clock; `.max`: never.
struct ConnectionDeadlines {
  /// What the connection has to do when its timer fires.
  enum Action: Hashable {
    /// End the connection: it has not identified itself in time.
    case endUnknown
    /// Send the answer that was delayed.
    case sendDelayedAnswer
    /// Do nothing before the next deadline: an answer is delayed.
    case wait
    /// Close: the client has had its time to do so.
    case close
    /// End the connection: the right of its caller has ended.
    case endExpired
    /// Do what the protocol has due, after what the values say.
    case work(resumesReading: Bool, looksForLateFrames: Bool)
  }

  /// A frame is late that is in its place (``FrameWait``) at two looks, this many nanoseconds apart.
  static let timeBetweenLooks: UInt64 = 250_000_000
  /// How long the node waits for a client to close after it has sent everything.
  static let usualLinger: UInt64 = 2_000_000_000
  /// How long a known caller has to read what was sent to it, and the reason of a cut.
  static let cutLinger: UInt64 = 100_000_000
  /// How long a connection lingers while the node ends. The time is short, since the node waits for each client.
  static let lastLinger: UInt64 = 500_000_000

  private var unknownUntil = UInt64.max
  private var answerDelayedUntil = UInt64.max
  private var pausedUntil = UInt64.max
  private var lookDue = UInt64.max
  private var linger = usualLinger
  private var lingersUntil = UInt64.max
  /// When the caller's right ends; `nil`: it does not.
  private var expiry: Expiry?

  /// Whether an answer is delayed.
  var isAnswerDelayed: Bool { answerDelayedUntil != .max }
  /// Whether nothing is read for now.
  var isPaused: Bool { pausedUntil != .max }
  /// Whether there will be a look for late frames.
  var isLookPlanned: Bool { lookDue != .max }

  // MARK: Events

  /// Notes that the connection has to identify itself, and until when.
  mutating func awaitIdentity(until end: UInt64) { unknownUntil = end }

  /// Notes that the caller has said who it is. `isKnown`: the guard knows it. `expiry`: when its right ends.
  mutating func identified(isKnown: Bool, expiry: Expiry?) {
    if isKnown { unknownUntil = .max }
    self.expiry = expiry
  }

  /// Delays the answer to an invalid credential.
  mutating func delayAnswer(until end: UInt64) { answerDelayedUntil = end }

  /// Orders a pause in which nothing is read. It does not shorten one that was ordered before.
  mutating func pauseReading(until end: UInt64) { pausedUntil = isPaused ? max(pausedUntil, end) : end }

  /// Plans a look for late frames.
  mutating func planLook(from now: UInt64) { lookDue = now + Self.timeBetweenLooks }

  /// Begins to wait for the client to close. Returns whether the wait ends earlier than was known.
  mutating func waitForClose(from now: UInt64) -> Bool {
    let end = now + linger
    guard end < lingersUntil else { return false }
    lingersUntil = end
    return true
  }

  /// Notes that the node cuts the connection. It no longer matters when the caller's right ends.
  mutating func cut() {
    linger = Self.cutLinger
    expiry = nil
  }

  /// Notes that the node ends. A delayed answer is sent at once.
  mutating func drain() {
    linger = Self.lastLinger
    answerDelayedUntil = .max
  }

  // MARK: Time

  /// When the timer has to fire. While an answer is delayed, nothing else is due but the end of the time in which the connection has to identify itself.
  /// While the connection lingers, neither the protocol's times count nor the looks for late frames.
  /// - Parameter protocolDue: when the protocol has something to do next.
  func next(protocolDue: UInt64) -> UInt64 {
    if isAnswerDelayed { return min(answerDelayedUntil, unknownUntil) }
    let work = lingersUntil != .max ? lingersUntil : min(protocolDue, lookDue)
    return min(min(work, pausedUntil), min(expiry?.due ?? .max, unknownUntil))
  }

  /// Says what the connection has to do when its timer fires, perhaps too early, and notes that as done.
  /// - Parameter utc: the present time of the wall clock, in seconds since 1970.
  mutating func fired(at now: UInt64, utc: Int64) -> Action {
    if now >= unknownUntil {
      answerDelayedUntil = .max
      return .endUnknown
    }
    if isAnswerDelayed {
      guard now >= answerDelayedUntil else { return .wait }
      answerDelayedUntil = .max
      return .sendDelayedAnswer
    }
    if now >= lingersUntil { return .close }
    if hasExpired(at: now, utc: utc) { return .endExpired }
    let (resumesReading, looksForLateFrames) = (now >= pausedUntil, now >= lookDue)
    if resumesReading { pausedUntil = .max }
    if looksForLateFrames { lookDue = .max }
    return .work(resumesReading: resumesReading, looksForLateFrames: looksForLateFrames)
  }

  private mutating func hasExpired(at now: UInt64, utc: Int64) -> Bool {
    guard let due = expiry?.due, now >= due else { return false }
    return expiry!.hasCome(utc: utc, now: now)
  }
}
