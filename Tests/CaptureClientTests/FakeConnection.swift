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
  }
  /// `nil`: Pings stay without an answer.
  private let offset: ClockOffset?
  private let state: Mutex<State>

  convenience init(_ answers: [MethodDescriptor: Answer], offset: Int64? = 0) {
    self.init(inTurn: answers.mapValues { [$0] }, offset: offset)
  }

  /// With an answer for each call of a method; the last one is for all further ones.
  init(inTurn answers: [MethodDescriptor: [Answer]], offset: Int64? = 0) {
    state = Mutex(State(answers: answers))
    self.offset = offset.map { ClockOffset(nanoseconds: $0, error: 0) }
  }

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

  func roundTrip(timeout: Duration) async throws(RPCError) -> Duration { .milliseconds(1) }
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

  var refusal: RPCError? { state.withLock { $0.failure } }

  func waitUntilLost() async -> RPCError? {
    await withCheckedContinuation { continuation in
      let isLost = state.withLock { state in
        if state.failure == nil { state.lossWaiters.append(continuation) }
        return state.failure != nil
      }
      if isLost { continuation.resume() }
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
