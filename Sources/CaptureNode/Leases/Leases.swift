import CaptureModel
import CaptureSystem
import Synchronization

/// The leases of a node's cameras: a ``LeaseBook`` with a clock, in which tasks wait for their turn.
final class Leases: Sendable {
  private typealias Answer = Result<Lease?, CaptureError>
  /// A task whose answer did not come at once.
  private enum Waiter {
    /// The task is about to wait.
    case asking
    /// The answer came before the task waited.
    case answered(Answer)
    case waiting(CheckedContinuation<Answer, Never>)
  }
  private struct State {
    var book: LeaseBook
    var waiters: [LeaseBook.Ticket: Waiter] = [:]
    /// The task that advances the book when it is due.
    var alarm: (moment: UInt64, task: Task<Void, any Error>)?
  }
  private let limits: LeaseLimits
  private let state: Mutex<State>
  private let tickets = Atomic<LeaseBook.Ticket>(0)

  init(limits: LeaseLimits = LeaseLimits()) {
    self.limits = limits
    state = Mutex(State(book: LeaseBook(limits: limits)))
  }

  // MARK: Leases

  /// Acquires a lease on a camera. Throws `invalidArgument` for a duration or a name out of range; `failedPrecondition`, which names the holder and
  /// the time left, if another client has the camera for longer than the request waits; and `resourceExhausted` if too many wait.
  nonisolated(nonsending) func acquire(_ request: LeaseRequest) async throws(CaptureError) -> Lease {
    try request.validate(limits)
    // Checks for room before the token is made: when many clients ask, most of them are refused, and a token takes time to make.
    try state.withLock { state throws(CaptureError) in
      try state.book.requireRoom(for: request.camera, at: MonotonicClock.now())
    }
    let token = LeaseToken.random(of: request.owner)
    let ticket = nextTicket()
    return try await wait(ticket) { $0.acquire(request, as: ticket, token: token, at: $1) }!
  }

  /// Renews a lease. `duration`: `nil`: the duration for which it was acquired. Throws `notFound` for a lease that is not held, `aborted` for a lease
  /// that was ended by force, and `failedPrecondition` where the lease is of another camera than `camera`.
  ///
  /// A lease that ends with a connection ends with `connection` from now on, since that has renewed it last. With `outlivesConnection`, no connection
  /// ends it.
  func renew(
    _ token: LeaseToken, of camera: CameraID? = nil, for duration: Duration?, by connection: UInt64? = nil,
    outlivesConnection: Bool = false
  ) throws(CaptureError) -> Lease {
    if let duration { try LeaseRequest.validate(duration) }
    // This sets the alarm for the waiting callers, too: it has to ring earlier if the lease now ends earlier.
    return try attempt { book, now throws(CaptureError) in
      let lease = try book.renew(
        token, of: camera, for: duration, by: connection, outlivesConnection: outlivesConnection, at: now)
      return (lease, [])
    }
  }

  /// Gives a lease back. Throws `notFound` for a lease that is not held, `aborted` for a lease that was ended by force, and `failedPrecondition`
  /// where the lease is of another camera than `camera`.
  @discardableResult
  func release(_ token: LeaseToken, of camera: CameraID? = nil) throws(CaptureError) -> Lease {
    try attempt { book, now throws(CaptureError) in
      let lease = book.lease(token, at: now)
      let answers = try book.release(token, of: camera, at: now)
      return (lease!, answers)
    }
  }

  /// Ends a camera's lease, whoever has it, and returns the lease. Its holder is told that `name` has ended it. Throws `notFound` if there is no
  /// lease, and `invalidArgument` for a name that is too long.
  func free(_ camera: CameraID, by name: String) throws(CaptureError) -> Lease {
    try LeaseRequest.validate(holder: name)
    return try attempt { book, now throws(CaptureError) in try book.free(camera, by: name, at: now) }
  }

  /// Ends the leases that end with this connection, whose calls have been cancelled already.
  func connectionClosed(_ connection: UInt64) {
    change { $0.book.connectionClosed(connection, at: $1) }
  }

  /// Ends the leases of clients that the node no longer knows.
  func clientsRevoked(_ names: Set<String>) { change { $0.book.clientsRevoked(names, at: $1) } }

  /// The leases that are held now.
  var leases: [Lease] { state.withLock { $0.book.leases(at: MonotonicClock.now()) } }

  /// How many cameras of `scope` are leased, or held by a running call.
  func leasedCameraCount(among scope: CameraScope) -> Int {
    state.withLock { $0.book.leasedCameraCount(among: scope, at: MonotonicClock.now()) }
  }

  // MARK: Calls

  /// Runs `body`, which changes the claim's cameras, while no other client changes them. Throws `failedPrecondition` if the caller may not change
  /// them.
  nonisolated(nonsending) func run<Value>(
    _ claim: LeaseClaim, _ body: nonisolated(nonsending) () async throws -> Value
  ) async throws -> Value {
    let tickets = try await enter(claim)
    defer { leave(tickets) }
    return try await body()
  }

  private nonisolated(nonsending) func enter(_ claim: LeaseClaim)
    async throws(CaptureError) -> [LeaseBook.Ticket]
  {
    var entered: [LeaseBook.Ticket] = []
    // All calls use the same order, so that two calls never wait for each other.
    let cameras =
      claim.cameras.count == 1
      ? claim.cameras : Set(claim.cameras).sorted { $0.rawValue < $1.rawValue }
    do throws(CaptureError) {
      for camera in cameras {
        let ticket = nextTicket()
        _ = try await wait(ticket) { $0.enter(claim, camera: camera, as: ticket, at: $1) }
        entered.append(ticket)
      }
    } catch {
      leave(entered)
      throw error
    }
    return entered
  }

  private func leave(_ tickets: [LeaseBook.Ticket]) {
    for ticket in tickets { change { $0.book.leave(ticket, at: $1) } }
  }

  // MARK: Waiting

  private func nextTicket() -> LeaseBook.Ticket { tickets.add(1, ordering: .relaxed).newValue }

  /// Asks the book, and waits for its answer. Throws `cancelled` when the task is cancelled.
  private nonisolated(nonsending) func wait(
    _ ticket: LeaseBook.Ticket, _ ask: (inout LeaseBook, UInt64) -> [LeaseBook.Answer]
  ) async throws(CaptureError) -> Lease? {
    var answer: Answer?
    change { state, now in
      if Task.isCancelled {
        answer = .failure(Self.cancelled)
        return []
      }
      let answers = ask(&state.book, now)
      answer = answers.first { $0.ticket == ticket }?.result
      if answer == nil { state.waiters[ticket] = .asking }
      return answers
    }
    // As a rule the answer comes at once.
    if let answer { return try answer.get() }
    return try await lateAnswer(to: ticket).get()
  }

  private nonisolated(nonsending) func lateAnswer(to ticket: LeaseBook.Ticket) async -> Answer {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = state.withLock { state -> Answer? in
          guard case .answered(let answer)? = state.waiters[ticket] else {
            state.waiters[ticket] = .waiting(continuation)
            return nil
          }
          state.waiters[ticket] = nil
          return answer
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      var waiter: Waiter?
      change { state, now in
        waiter = state.waiters.removeValue(forKey: ticket)
        switch waiter {
        case nil: return []
        case .answered?:
          state.waiters[ticket] = waiter
          return []
        case .asking?: state.waiters[ticket] = .answered(.failure(Self.cancelled))
        case .waiting?: break
        }
        return state.book.withdraw(ticket, at: now)
      }
      if case .waiting(let continuation)? = waiter {
        continuation.resume(returning: .failure(Self.cancelled))
      }
    }
  }

  private static let cancelled = CaptureError.callCancelled

  /// Changes the book, gives out its answers, and returns the result.
  private func attempt<Value>(
    _ body: (inout LeaseBook, UInt64) throws(CaptureError) -> (Value, [LeaseBook.Answer])
  ) throws(CaptureError) -> Value {
    var result: Result<Value, CaptureError>?
    change { state, now in
      do throws(CaptureError) {
        let (value, answers) = try body(&state.book, now)
        result = .success(value)
        return answers
      } catch {
        result = .failure(error)
        return []
      }
    }
    return try result!.get()
  }

  /// Changes the book, and gives out its answers.
  private func change(_ body: (inout State, UInt64) -> [LeaseBook.Answer]) {
    let now = MonotonicClock.now()
    let answers = state.withLock { state -> [(CheckedContinuation<Answer, Never>, Answer)] in
      let answers = body(&state, now)
      // A task that has no entry among the waiters has got its answer already.
      if state.waiters.isEmpty { return [] }
      if let next = state.book.nextEvent(after: now), next < state.alarm?.moment ?? .max {
        state.alarm?.task.cancel()
        state.alarm = (next, ring(after: .nanoseconds(next - now)))
      }
      return answers.compactMap { answer in
        switch state.waiters[answer.ticket] {
        case .asking?: state.waiters[answer.ticket] = .answered(answer.result)
        case .waiting(let continuation)?:
          state.waiters[answer.ticket] = nil
          return (continuation, answer.result)
        case .answered?, nil: break
        }
        return nil
      }
    }
    for (continuation, answer) in answers { continuation.resume(returning: answer) }
  }

  private func ring(after delay: Duration) -> Task<Void, any Error> {
    Task { [weak self] in
      try await Task.sleep(for: delay, clock: .suspending)
      self?.change { state, now in
        state.alarm = nil
        return state.book.advance(to: now)
      }
    }
  }
}
