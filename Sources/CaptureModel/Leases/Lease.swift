/// The right to change a camera, for a limited time (`AVCaptureDevice.lockForConfiguration`, with an expiry).
public struct Lease: Hashable, Sendable {
  public let token: LeaseToken
  public let camera: CameraID
  /// The holder's name, for the messages that others get.
  public let holder: String
  /// The time from the lease's acquisition or renewal to its expiry.
  public package(set) var duration: Duration
  /// `CLOCK_MONOTONIC` nanoseconds.
  public package(set) var expiry: UInt64
  /// The connection with which the lease ends; `nil`: it outlives its connection.
  public package(set) var connection: UInt64?
  /// Who has the lease, on any of their connections: a client's name in access control, or "user 1000". Empty: nobody knows.
  public let owner: String

  package init(
    token: LeaseToken, camera: CameraID, holder: String, duration: Duration, expiry: UInt64,
    connection: UInt64?, owner: String = ""
  ) {
    (self.token, self.camera, self.holder, self.owner) = (token, camera, holder, owner)
    (self.duration, self.expiry, self.connection) = (duration, expiry, connection)
  }

  /// The time until its expiry; zero after that.
  public func remaining(at now: UInt64) -> Duration { .nanoseconds(expiry > now ? expiry - now : 0) }
}

/// A request for a lease.
public struct LeaseRequest: Hashable, Sendable {
  public var camera: CameraID
  /// The holder's name for messages, at most 100 characters.
  public var holder: String
  /// The time from acquisition to expiry: 0.1 s to a day.
  public var duration: Duration
  /// How long to wait while another client has a lease. The node waits for running calls in any case.
  public var patience: Duration
  /// The connection with which the lease shall end; `nil`: none.
  public var connection: UInt64?
  /// Who will have the lease, on any of their connections: a client's name in access control, or "user 1000". Empty: nobody knows.
  public var owner: String

  public static let durations = Duration.milliseconds(100)...Duration.seconds(86_400)

  public init(
    camera: CameraID, holder: String, duration: Duration = .seconds(30), patience: Duration = .zero,
    connection: UInt64? = nil, owner: String = ""
  ) {
    self.camera = camera
    self.holder = holder
    self.owner = owner
    self.duration = duration
    self.patience = patience
    self.connection = connection
  }

  /// Throws `invalidArgument` for a value out of range.
  public func validate(_ limits: LeaseLimits = LeaseLimits()) throws(CaptureError) {
    try Self.validate(duration)
    try limits.validate(duration, outlivesConnection: connection == nil)
    try Self.validate(holder: holder)
  }

  /// Throws `invalidArgument` for a holder's name that is too long to be kept.
  public static func validate(holder: String) throws(CaptureError) {
    // Bytes and Unicode scalars are counted: what looks like one character can have any number of them.
    guard holder.utf8.count <= 400, holder.unicodeScalars.count <= 100 else {
      throw CaptureError(
        .invalidArgument,
        "a holder's name has at most 100 characters, in 400 bytes; this one has \(holder.unicodeScalars.count), in \(holder.utf8.count)",
        .init(.valueOutOfRange, field: "holder", asked: .text(holder), range: .init(0, 100))
      )
    }
  }

  /// Throws `invalidArgument` for a duration out of range.
  public static func validate(_ duration: Duration) throws(CaptureError) {
    guard durations.contains(duration) else {
      throw CaptureError(
        .invalidArgument, "a lease lasts 100 to 86400000 ms, not \(Int64(duration / .milliseconds(1))) ms",
        .init(
          .valueOutOfRange, field: "duration_ms", asked: .number(duration / .milliseconds(1)),
          range: .init(100, 86_400_000)))
    }
  }
}

/// The cameras that a call changes, and the leases that it has.
public struct LeaseClaim: Hashable, Sendable {
  /// The tokens that came with the call. All have to be valid, and one of them has to be for these cameras.
  public var tokens: [LeaseToken]
  /// The identities of the cameras that the call changes.
  public var cameras: [CameraID]
  public var occupation: Occupation?

  /// A task that takes so long that other calls are refused instead of waiting.
  public struct Occupation: Hashable, Sendable {
    /// What is done: "being calibrated".
    public var what: String
    /// The client that calls.
    public var holder: String

    public init(_ what: String, holder: String) { (self.what, self.holder) = (what, holder) }
  }

  public init(tokens: [LeaseToken] = [], cameras: [CameraID], occupation: Occupation? = nil) {
    self.tokens = tokens
    self.cameras = cameras
    self.occupation = occupation
  }
}
