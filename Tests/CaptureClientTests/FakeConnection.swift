import CaptureClient
import CaptureTransport
import CaptureWire
import Synchronization

/// A node made of answers that a test writes down.
final class FakeConnection: NodeConnection {
  /// What a call gets.
  struct Answer: Sendable {
    var messages: [RawMessage] = []
    /// `nil`: after the messages nothing comes until the call is cancelled.
    var ending: Result<Void, RPCError>? = .success(())
  }

  private struct State {
    var answers: [MethodDescriptor: [Answer]]
    var requests: [RawMessage] = []
    var calls: [FakeCall] = []
    var failure: RPCError?
    var lossWaiters: [CheckedContinuation<Void, Never>] = []
    var holdsPings = false
    var heldPings: [CheckedContinuation<Void, Never>] = []
  }
  /// `nil`: Pings stay without an answer.
  private let offset: ClockOffset?
  private let state: Mutex<State>
  let node: NodeIncarnation?

  convenience init(
    _ answers: [MethodDescriptor: Answer], offset: Int64? = 0, node: NodeIncarnation? = nil
  ) {
    self.init(inTurn: answers.mapValues { [$0] }, offset: offset, node: node)
  }

  /// With an answer for each call of a method; the last one is for all further ones.
  init(
    inTurn answers: [MethodDescriptor: [Answer]], offset: Int64? = 0, node: NodeIncarnation? = nil
  ) {
    state = Mutex(State(answers: answers))
    self.node = node
    self.offset = offset.map { ClockOffset(nanoseconds: $0, error: 0) }
  }

  /// How many wait for a call's next answer.
  var waitingReaders: Int { state.withLock(\.calls).count { $0.isRead } }

  /// The requests that were made.
  var requests: [RawMessage] { state.withLock { $0.requests } }

  func unary(_ method: MethodDescriptor, _ request: RawMessage, options: CallOptions) async throws(RPCError)
    -> RawMessage
  {
    let call = try await open(method, request, last: true, options: options)
    guard let answer = try await call.next() else { throw RPCError(.dataLoss, "no answer") }
    return answer
  }

  func open(_ method: MethodDescriptor, _ request: RawMessage?, last: Bool, options: CallOptions)
    async throws(RPCError) -> any RawClientCall
  {
    let call = state.withLock { state -> Result<FakeCall, RPCError> in
      if let failure = state.failure { return .failure(failure) }
      if let request { state.requests.append(request) }
      guard let answers = state.answers[method], let answer = answers.first else {
        return .failure(RPCError(.unimplemented, method.name))
      }
      if answers.count > 1 { state.answers[method]!.removeFirst() }
      let call = FakeCall(answer)
      state.calls.append(call)
      return .success(call)
    }
    return try call.get()
  }

  func roundTrip(timeout: Duration) async throws(RPCError) -> Duration {
    guard state.withLock(\.holdsPings) else { return .milliseconds(1) }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isCancelled = state.withLock { state in
          if !Task.isCancelled { state.heldPings.append(continuation) }
          return Task.isCancelled
        }
        if isCancelled { continuation.resume() }
      }
    } onCancel: {
      failPings()
    }
    throw Task.isCancelled ? RPCError(.callCancelled) : RPCError(.deadlineExceeded, "no Pong came")
  }

  /// From now on nobody answers Pings.
  func holdPings() { state.withLock { $0.holdsPings = true } }
  var heldPings: Int { state.withLock(\.heldPings.count) }
  func failPings() {
    let held = state.withLock { state in
      defer { state.heldPings = [] }
      return state.heldPings
    }
    for ping in held { ping.resume() }
  }

  func clockOffset() async throws(RPCError) -> ClockOffset {
    if offset == nil { try? await Task.sleep(for: .seconds(3600)) }
    guard let offset else { throw RPCError(.cancelled, "cancelled") }
    return offset
  }
  func close() async { lose("this side closed the connection") }

  /// The connection is lost: every call fails.
  func lose(_ reason: String) {
    let failure = RPCError(.unavailable, reason)
    let (calls, waiters) = state.withLock { state in
      state.failure = state.failure ?? failure
      defer { state.lossWaiters = [] }
      return (state.calls, state.lossWaiters)
    }
    for call in calls { call.end(failure) }
    for waiter in waiters { waiter.resume() }
  }

  private func takeLossWaiters() -> [CheckedContinuation<Void, Never>] {
    state.withLock { state in
      defer { state.lossWaiters = [] }
      return state.lossWaiters
    }
  }

  var refusal: RPCError? { state.withLock { $0.failure } }

  func waitUntilLost() async -> RPCError? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if state.failure == nil, !Task.isCancelled { state.lossWaiters.append(continuation) }
          return state.failure != nil || Task.isCancelled
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      for waiter in takeLossWaiters() { waiter.resume() }
    }
    return refusal
  }
}

private final class FakeCall: RawClientCall {
  private struct State {
    var messages: [RawMessage]
    var ending: Result<Void, RPCError>?
    var waiter: CheckedContinuation<Void, Never>?
  }
  private let state: Mutex<State>

  init(_ answer: FakeConnection.Answer) {
    state = Mutex(State(messages: answer.messages, ending: answer.ending))
  }

  var abortedPayloads: UInt64 { 0 }
  var isRead: Bool { state.withLock { $0.waiter != nil } }

  func next() async throws(RPCError) -> RawMessage? {
    if let message = state.withLock({ $0.messages.isEmpty ? nil : $0.messages.removeFirst() }) {
      return message
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if state.ending == nil { state.waiter = continuation }
          return state.ending != nil
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      cancel()
    }
    try state.withLock(\.ending)?.get()
    return nil
  }

  func cancel() { end(RPCError(.cancelled, "cancelled")) }

  func end(_ error: RPCError) {
    let waiter = state.withLock { state in
      state.ending = state.ending ?? .failure(error)
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }

  func send(_ message: RawMessage) async throws(RPCError) {}
  func finishSending() async throws(RPCError) {}
}
