import CaptureModel
import CaptureSystem
import Synchronization

/// The leases of a node's cameras: a ``LeaseBook`` with a clock, where tasks wait for their turn.
public final class LeaseDesk: Sendable {
  private typealias Continuation = CheckedContinuation<Result<Lease?, CaptureError>, Never>
  private struct State {
    var book = LeaseBook()
    var tickets: LeaseBook.Ticket = 0
    var waiting: [LeaseBook.Ticket: Continuation] = [:]
    /// Advances the book when it is due.
    var alarm: (moment: UInt64, task: Task<Void, any Error>)?
  }
  private let state = Mutex(State())

  init() {}

  // MARK: Leases

  /// A lease on a camera. Throws `invalidArgument` for a duration or a name out of range, `failedPrecondition` naming the holder and the
  /// time left while another has one for longer than the request waits.
  public func acquire(_ request: LeaseRequest) async throws(CaptureError) -> Lease {
    try request.validate()
    let token = LeaseToken.random()
    let ticket = nextTicket()
    return try await wait(ticket) { $0.acquire(request, as: ticket, token: token, at: $1) }!
  }

  /// Starts its time anew; `nil`: as long as it was acquired for. Throws `notFound` for one that is not held.
  public func renew(_ token: LeaseToken, for duration: Duration?) throws(CaptureError) -> Lease {
    if let duration { try LeaseRequest.validate(duration) }
    return try state.withLock { state throws(CaptureError) in
      try state.book.renew(token, for: duration, at: MonotonicClock.now())
    }
  }

  /// Gives it back. Throws `notFound` for one that is not held.
  public func release(_ token: LeaseToken) throws(CaptureError) {
    var failure: CaptureError?
    change { state, now in
      do throws(CaptureError) {
        return try state.book.release(token, at: now)
      } catch {
        failure = error
        return []
      }
    }
    if let failure { throw failure }
  }

  /// Those held now.
  public var leases: [Lease] { state.withLock { $0.book.leases(at: MonotonicClock.now()) } }

  /// Cameras that are leased, or held by a call that runs.
  public var heldCameras: Int { state.withLock { $0.book.heldCameras(at: MonotonicClock.now()) } }

  // MARK: Calls

  /// Runs `body`, which changes the claim's cameras, while no other client changes them. Throws `failedPrecondition` when it may not.
  public func hold<Value>(
    _ claim: LeaseClaim, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
  ) async throws -> Value {
    var held: [LeaseBook.Ticket] = []
    defer { for ticket in held { change { $0.book.leave(ticket, at: $1) } } }
    // In one order for all, so that two calls never wait for each other.
    for camera in Set(claim.cameras).sorted(by: { $0.rawValue < $1.rawValue }) {
      let ticket = nextTicket()
      _ = try await wait(ticket) { $0.enter(claim, camera: camera, as: ticket, at: $1) }
      held.append(ticket)
    }
    return try await body()
  }

  // MARK: Waiting

  private func nextTicket() -> LeaseBook.Ticket {
    state.withLock { state in
      state.tickets += 1
      return state.tickets
    }
  }

  /// Asks the book, and waits for its answer. Throws `cancelled` when the task is.
  private func wait(
    _ ticket: LeaseBook.Ticket,
    _ ask: (inout LeaseBook, UInt64) -> [LeaseBook.Answer]
  ) async throws(CaptureError) -> Lease? {
    let cancelled = CaptureError(.cancelled, "the call was cancelled")
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: Continuation) in
        var isAsked = false
        change { state, now in
          // Under the lock: whoever cancels later finds it waiting.
          if Task.isCancelled { return [] }
          isAsked = true
          state.waiting[ticket] = continuation
          return ask(&state.book, now)
        }
        if !isAsked { continuation.resume(returning: .failure(cancelled)) }
      }
    } onCancel: {
      var waiter: Continuation?
      change { state, now in
        waiter = state.waiting.removeValue(forKey: ticket)
        return waiter == nil ? [] : state.book.withdraw(ticket, at: now)
      }
      waiter?.resume(returning: .failure(cancelled))
    }
    return try result.get()
  }

  /// Changes the book, and hands out its answers.
  private func change(_ body: (inout State, UInt64) -> [LeaseBook.Answer]) {
    let now = MonotonicClock.now()
    let answers = state.withLock { state in
      let answers = body(&state, now).compactMap { answer in
        state.waiting.removeValue(forKey: answer.ticket).map { ($0, answer.result) }
      }
      if let next = state.book.nextEvent(after: now), next < state.alarm?.moment ?? .max {
        state.alarm?.task.cancel()
        state.alarm = (next, ring(after: .nanoseconds(next - now)))
      }
      return answers
    }
    for (continuation, result) in answers { continuation.resume(returning: result) }
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
