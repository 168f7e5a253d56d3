/// Who may change which camera until when.
///
/// A call that changes a camera holds it while it runs: those with the token of the camera's lease at once, those without in the order
/// they came, one at a time. While one has a lease, calls without its token are refused, and wishes for a lease wait as long as they are
/// willing to. A call that began under a lease may end after it: the camera goes to nobody else before.
///
/// Pure: the time (`CLOCK_MONOTONIC` nanoseconds) and tokens come in, answers go out.
public struct LeaseBook: Sendable {
  /// Names a call or a wish in the answers; the caller makes them.
  public typealias Ticket = UInt64

  /// What a call or a wish gets, at once or later.
  public struct Answer: Sendable {
    public let ticket: Ticket
    /// `nil` for a call: it may run until ``leave(_:at:)``.
    public let result: Result<Lease?, CaptureError>
  }

  /// A camera that is leased, used or waited for.
  struct Desk: Sendable {
    var lease: Lease?
    var calls: [Call] = []
    var queue: [Waiter] = []

    var isEmpty: Bool { lease == nil && calls.isEmpty && queue.isEmpty }
  }
  struct Call: Sendable {
    let ticket: Ticket
    let occupation: LeaseClaim.Occupation?
  }
  enum Waiter: Sendable {
    case call(Call)
    case wish(Ticket, LeaseRequest, LeaseToken, until: UInt64)

    var ticket: Ticket {
      switch self {
      case .call(let call): call.ticket
      case .wish(let ticket, _, _, _): ticket
      }
    }
  }
  /// A lease that is over, to say so to who still uses it.
  struct PastLease: Sendable {
    let token: LeaseToken
    let camera: CameraID
    let end: UInt64
    let isReleased: Bool
  }
  private static let pastKept = 64

  var desks: [CameraID: Desk] = [:]
  private(set) var past: [PastLease] = []

  public init() {}

  // MARK: Leases

  /// Wishes for a lease; `token` is what it gets. The request has been validated.
  public mutating func acquire(
    _ request: LeaseRequest, as ticket: Ticket, token: LeaseToken, at now: UInt64
  ) -> [Answer] {
    var answers = expire(at: now)
    let until = now &+ UInt64(max(.zero, request.patience) / .nanoseconds(1))
    desks[request.camera, default: Desk()].queue.append(.wish(ticket, request, token, until: until))
    answers += serve(request.camera, at: now)
    return answers
  }

  /// Starts a lease's time anew, for `duration`, else for as long as it was acquired. Throws `notFound` for one that is not held.
  public mutating func renew(
    _ token: LeaseToken, for duration: Duration? = nil, at now: UInt64
  ) throws(CaptureError) -> Lease {
    guard let camera = camera(of: token, at: now), var lease = desks[camera]?.lease else {
      throw CaptureError(.notFound, absence(of: token, at: now))
    }
    lease.duration = duration ?? lease.duration
    lease.expiry = now &+ UInt64(lease.duration / .nanoseconds(1))
    desks[camera]!.lease = lease
    return lease
  }

  /// Gives a lease back. Throws `notFound` for one that is not held.
  public mutating func release(_ token: LeaseToken, at now: UInt64) throws(CaptureError) -> [Answer] {
    guard let camera = camera(of: token, at: now) else {
      throw CaptureError(.notFound, absence(of: token, at: now))
    }
    end(camera, at: now, isReleased: true)
    return serve(camera, at: now)
  }

  /// Those held, by camera.
  public func leases(at now: UInt64) -> [Lease] {
    desks.values.compactMap(\.lease).filter { $0.expiry > now }.sorted {
      $0.camera.rawValue < $1.camera.rawValue
    }
  }

  /// Cameras that are leased, or held by a call that runs.
  public func heldCameras(at now: UInt64) -> Int {
    desks.values.count { !$0.calls.isEmpty || ($0.lease.map { $0.expiry > now } ?? false) }
  }

  // MARK: Time

  /// When ``advance(to:)`` has something to do next.
  public func nextEvent(after now: UInt64) -> UInt64? {
    var next: UInt64?
    for desk in desks.values where !desk.queue.isEmpty {
      var moments = [desk.lease?.expiry].compactMap(\.self)
      for case .wish(_, _, _, let until) in desk.queue { moments.append(until) }
      for moment in moments where moment > now { next = min(next ?? moment, moment) }
    }
    return next
  }

  /// Ends what has had its time.
  public mutating func advance(to now: UInt64) -> [Answer] {
    var answers = expire(at: now)
    for camera in desks.keys { answers += serve(camera, at: now) }
    return answers
  }

  mutating func expire(at now: UInt64) -> [Answer] {
    var answers: [Answer] = []
    for (camera, desk) in desks {
      guard let lease = desk.lease, lease.expiry <= now else { continue }
      end(camera, at: lease.expiry, isReleased: false)
      answers += serve(camera, at: now)
    }
    return answers
  }

  private mutating func end(_ camera: CameraID, at moment: UInt64, isReleased: Bool) {
    guard let lease = desks[camera]?.lease.take() else { return }
    past.append(PastLease(token: lease.token, camera: camera, end: moment, isReleased: isReleased))
    if past.count > Self.pastKept { past.removeFirst() }
  }

  /// The camera whose lease this is now.
  func camera(of token: LeaseToken, at now: UInt64) -> CameraID? {
    desks.values.lazy.compactMap(\.lease).first { $0.token == token && $0.expiry > now }?.camera
  }
}
