public import CaptureModel

/// The clients' requests for more rights that nobody has decided yet, and the recent denials. They are kept in memory alone, as pairing codes are: an
/// operator should decide about clients that still wait, and after a restart no client may wait any more.
///
/// Times: `boottime` is in nanoseconds of `CLOCK_BOOTTIME`, which runs while the machine sleeps; `now` in seconds of UTC, for people.
public struct AccessRequests: Sendable {
  /// The rights that a client asks for.
  public struct Rights: Hashable, Sendable {
    /// `nil`: the role that the client has.
    public var role: AccessRole?
    /// Patterns of the identities of cameras. Empty: the cameras that the client has.
    public var cameras: [String]
    /// Empty: the media that the client has.
    public var media: Set<AccessMedium>

    public init(role: AccessRole? = nil, cameras: [String] = [], media: Set<AccessMedium> = []) {
      (self.role, self.cameras, self.media) = (role, cameras, media)
    }
  }

  public struct Request: Hashable, Sendable {
    /// A request that replaces this one has another number.
    public let number: UInt64
    public let client: String
    public let wanted: Rights
    /// The address from which the request came last.
    public var peer: String
    public let asked: Int64
    public var end: UInt64
  }

  public struct Denial: Hashable, Sendable {
    public let denied: Int64
    /// When the client may ask again.
    public let end: UInt64
  }

  public static let most = NodeLimit.accessRequests.usual
  /// How long a request waits for a decision, in nanoseconds.
  public static let life: UInt64 = 86_400_000_000_000
  /// How long a denial lasts, in nanoseconds.
  public static let denialLife: UInt64 = 3_600_000_000_000

  private var requests: [Request] = []
  private var denials: [String: Denial] = [:]
  /// It begins at a random number, so that a number from the node's former run does not name a request of this run.
  private var lastNumber = UInt64.random(in: 0..<1_000_000)

  public init() {}

  /// The requests that wait for a decision, the oldest first.
  public func all(at boottime: UInt64) -> [Request] { requests.filter { $0.end > boottime } }

  public func request(of client: String, at boottime: UInt64) -> Request? {
    requests.first { $0.client == client && $0.end > boottime }
  }

  public func denial(of client: String, at boottime: UInt64) -> Denial? {
    denials[client].flatMap { $0.end > boottime ? $0 : nil }
  }

  /// When the next request or denial ends; `nil`: there is none.
  public func nextEnd(after boottime: UInt64) -> UInt64? {
    (requests.map(\.end) + denials.values.map(\.end)).filter { $0 > boottime }.min()
  }

  /// Notes a client's request, in place of the client's former one. If the client asks for the same rights again, the former request stays, and ends
  /// a day from now. `nil`: the limit of waiting requests is reached.
  mutating func ask(_ client: String, for wanted: Rights, from peer: String, now: Int64, boottime: UInt64)
    -> Request?
  {
    forgetEnded(at: boottime)
    if let place = requests.firstIndex(where: { $0.client == client && $0.wanted == wanted }) {
      (requests[place].peer, requests[place].end) = (peer, boottime + Self.life)
      return requests[place]
    }
    guard requests.count(where: { $0.client != client }) < Self.most else { return nil }
    withdraw(client)
    lastNumber += 1
    let request = Request(
      number: lastNumber, client: client, wanted: wanted, peer: peer, asked: now, end: boottime + Self.life)
    requests.append(request)
    return request
  }

  /// Removes a client's request. Returns whether there was one.
  @discardableResult
  mutating func withdraw(_ client: String) -> Bool {
    let place = requests.firstIndex { $0.client == client }
    if let place { requests.remove(at: place) }
    return place != nil
  }

  mutating func deny(_ client: String, now: Int64, boottime: UInt64) {
    forgetEnded(at: boottime)
    withdraw(client)
    denials[client] = Denial(denied: now, end: boottime + Self.denialLife)
  }

  /// Forgets a client that the node does not know any more.
  mutating func forget(_ client: String) {
    withdraw(client)
    denials[client] = nil
  }

  mutating func forgetEnded(at boottime: UInt64) {
    requests.removeAll { $0.end <= boottime }
    denials = denials.filter { $0.value.end > boottime }
  }
}
