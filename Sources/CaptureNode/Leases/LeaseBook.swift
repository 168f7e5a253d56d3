import CaptureModel

/// Decides who may change which camera until when.
///
/// Without a lease, calls that change a camera run one at a time, in the order in which they came. Calls with the token of the camera's lease run at
/// once. While a client has a lease, calls without its token are refused, and other requests for a lease wait as long as they are willing to. A call
/// that began under a lease may end after the lease; nobody else gets the camera before.
///
/// The book is pure: the time (`CLOCK_MONOTONIC` nanoseconds) and tokens come in, and answers come out. The cost of an operation grows with the
/// callers that it answers, and not with those that wait. An operation that throws has changed nothing, since answers to other callers would be lost
/// with it.
struct LeaseBook: Sendable {
  /// Identifies a call or a request for a lease in the answers. The caller of the book chooses it.
  typealias Ticket = UInt64

  /// The answer to a call or to a request for a lease, at once or later.
  struct Answer: Sendable {
    let ticket: Ticket
    /// `nil` for a call, which may run until ``leave(_:at:)``.
    let result: Result<Lease?, CaptureError>
  }

  /// The state of a camera that is leased, used or waited for.
  struct CameraQueue: Sendable {
    var lease: Lease?
    /// The calls that run.
    var calls: Set<Ticket> = []
    /// The running calls that take long.
    var occupations: [Ticket: LeaseClaim.Occupation] = [:]
    var line = LeaseLine()

    var isEmpty: Bool { lease == nil && calls.isEmpty && line.isEmpty }
  }
  struct Call: Sendable {
    let ticket: Ticket
    let occupation: LeaseClaim.Occupation?
  }

  let limits: LeaseLimits
  var queues: [CameraID: CameraQueue] = [:]
  /// The camera of each call and each request that runs or waits.
  var places: [Ticket: CameraID] = [:]
  /// The camera of each lease.
  private var leased: [LeaseToken: CameraID] = [:]
  private(set) var past = PastLeases()

  init(limits: LeaseLimits = LeaseLimits()) { self.limits = limits }

  // MARK: Leases

  /// Requests a lease; `token` is the token that the lease will have. The request has to be valid. The answer is `resourceExhausted` if too many
  /// wait.
  mutating func acquire(
    _ request: LeaseRequest, as ticket: Ticket, token: LeaseToken, at now: UInt64
  ) -> [Answer] {
    var answers = expire(at: now)
    let until = now &+ UInt64(max(.zero, request.patience) / .nanoseconds(1))
    let camera = request.camera
    if let refusal = tooManyWaiting(at: camera) {
      return answers + [Answer(ticket: ticket, result: .failure(refusal))]
    }
    queues[camera, default: CameraQueue()].line.append(.request(ticket, request, token, until: until))
    places[ticket] = camera
    answers += serve(camera, at: now)
    return answers
  }

  /// Renews a lease for `duration`, or else for the duration with which it was acquired. Throws `notFound` for a lease that is not held, `aborted`
  /// for a lease that was ended by force, `failedPrecondition` where the lease is of another camera than `named`, and `invalidArgument` for a
  /// duration that is too long.
  ///
  /// A lease that ends with a connection ends with `connection` from now on, since that has renewed it last. With `outlivesConnection`, no connection
  /// ends it from now on.
  mutating func renew(
    _ token: LeaseToken, of named: CameraID? = nil, for duration: Duration? = nil,
    by connection: UInt64? = nil, outlivesConnection: Bool = false, at now: UInt64
  ) throws(CaptureError) -> Lease {
    let camera = try leasedCamera(token, named, at: now)
    var lease = queues[camera]!.lease!
    let outlives = outlivesConnection || lease.connection == nil
    if let duration { try limits.validate(duration, outlivesConnection: outlives) }
    lease.duration = duration ?? (outlives ? min(lease.duration, limits.maximum) : lease.duration)
    lease.expiry = now &+ UInt64(lease.duration / .nanoseconds(1))
    lease.connection = outlives ? nil : connection ?? lease.connection
    queues[camera]!.lease = lease
    return lease
  }

  /// Gives a lease back. Throws `notFound` for a lease that is not held, `aborted` for a lease that was ended by force, and `failedPrecondition`
  /// where the lease is of another camera than `named`.
  mutating func release(
    _ token: LeaseToken, of named: CameraID? = nil, at now: UInt64
  ) throws(CaptureError) -> [Answer] {
    let camera = try leasedCamera(token, named, at: now)
    end(camera, at: now, .released)
    return serve(camera, at: now)
  }

  /// The camera of a lease that is held. `named`: the camera of which the lease has to be; `nil`: any.
  private func leasedCamera(_ token: LeaseToken, _ named: CameraID?, at now: UInt64) throws(CaptureError)
    -> CameraID
  {
    guard let camera = camera(of: token, at: now) else { throw past.absence(of: token, at: now, .notFound) }
    guard named ?? camera == camera else {
      throw CaptureError(
        .failedPrecondition, "the lease is of camera '\(camera)', not of '\(named!)'",
        .init(.leaseMismatch, device: camera.rawValue))
    }
    return camera
  }

  /// Ends a camera's lease, whoever has it. `name`: who ends it. A call that runs under the lease continues to its end. Throws `notFound` if there is
  /// no lease.
  mutating func free(
    _ camera: CameraID, by name: String, at now: UInt64
  ) throws(CaptureError) -> (lease: Lease, answers: [Answer]) {
    guard let lease = queues[camera]?.lease, lease.expiry > now else {
      throw CaptureError(
        .notFound, "camera '\(camera)' is not leased: there is nothing to free",
        .init(.leaseUnknown, device: camera.rawValue))
    }
    end(camera, at: now, .taken(name))
    return (lease, serve(camera, at: now))
  }

  /// Ends the leases that end with this connection.
  mutating func connectionClosed(_ connection: UInt64, at now: UInt64) -> [Answer] {
    end(.connectionClosed, at: now) { $0.connection == connection }
  }

  /// Ends the leases of clients that the node no longer knows, also those that outlive their connections.
  mutating func clientsRevoked(_ names: Set<String>, at now: UInt64) -> [Answer] {
    end(.revoked, at: now) { names.contains($0.owner) }
  }

  private mutating func end(_ reason: PastLeases.End, at now: UInt64, where isOver: (Lease) -> Bool)
    -> [Answer]
  {
    var answers = expire(at: now)
    for camera in queues.compactMap({ $1.lease.map(isOver) == true ? $0 : nil }) {
      end(camera, at: now, reason)
      answers += serve(camera, at: now)
    }
    return answers
  }

  /// The lease with this token; `nil`: it is not held.
  func lease(_ token: LeaseToken, at now: UInt64) -> Lease? {
    camera(of: token, at: now).flatMap { queues[$0]?.lease }
  }

  /// The leases that are held, by camera.
  func leases(at now: UInt64) -> [Lease] {
    queues.values.compactMap(\.lease).filter { $0.expiry > now }.sorted {
      $0.camera.rawValue < $1.camera.rawValue
    }
  }

  /// How many cameras are leased, or held by a running call.
  func leasedCameraCount(among scope: CameraScope = .every, at now: UInt64) -> Int {
    queues.count { camera, queue in
      scope.contains(camera)
        && (!queue.calls.isEmpty || (queue.lease.map { $0.expiry > now } ?? false))
    }
  }

  // MARK: Time

  /// When ``advance(to:)`` has something to do next.
  func nextEvent(after now: UInt64) -> UInt64? {
    var next: UInt64?
    for queue in queues.values where !queue.line.isEmpty {
      for case .some(let moment) in [queue.lease?.expiry, queue.line.nextEnd] where moment > now {
        next = min(next ?? moment, moment)
      }
    }
    return next
  }

  /// Ends the leases and the waiting requests whose time is over.
  mutating func advance(to now: UInt64) -> [Answer] {
    var answers = expire(at: now)
    for camera in Array(queues.keys) { answers += serve(camera, at: now) }
    return answers
  }

  mutating func expire(at now: UInt64) -> [Answer] {
    var answers: [Answer] = []
    for lease in queues.values.compactMap(\.lease) where lease.expiry <= now {
      end(lease.camera, at: lease.expiry, .expired)
      answers += serve(lease.camera, at: now)
    }
    return answers
  }

  private mutating func end(_ camera: CameraID, at moment: UInt64, _ end: PastLeases.End) {
    guard let lease = queues[camera]?.lease.take() else { return }
    leased[lease.token] = nil
    past.add(lease, at: moment, end)
  }

  /// Gives out a lease. Its camera must be free.
  mutating func begin(_ lease: Lease) {
    queues[lease.camera, default: CameraQueue()].lease = lease
    leased[lease.token] = lease.camera
  }

  /// The camera whose lease has this token now.
  func camera(of token: LeaseToken, at now: UInt64) -> CameraID? {
    guard let camera = leased[token], let lease = queues[camera]?.lease, lease.expiry > now else {
      return nil
    }
    return camera
  }
}
