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

  private let answers: [MethodDescriptor: Answer]
  /// `nil`: Pings stay without an answer.
  private let offset: ClockOffset?
  private let recorded = Mutex<[RawMessage]>([])

  init(_ answers: [MethodDescriptor: Answer], offset: Int64? = 0) {
    self.answers = answers
    self.offset = offset.map { ClockOffset(nanoseconds: $0, error: 0) }
  }

  /// The requests that were made.
  var requests: [RawMessage] { recorded.withLock { $0 } }

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
    if let request { recorded.withLock { $0.append(request) } }
    guard let answer = answers[method] else { throw RPCError(.unimplemented, method.name) }
    return FakeCall(answer)
  }

  func roundTrip(timeout: Duration) async throws(RPCError) -> Duration { .milliseconds(1) }
  func clockOffset() async throws(RPCError) -> ClockOffset {
    if offset == nil { try? await Task.sleep(for: .seconds(3600)) }
    guard let offset else { throw RPCError(.cancelled, "cancelled") }
    return offset
  }
  func close() async {}
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

  func cancel() {
    let waiter = state.withLock { state in
      state.ending = state.ending ?? .failure(RPCError(.cancelled, "cancelled"))
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }

  func send(_ message: RawMessage) async throws(RPCError) {}
  func finishSending() async throws(RPCError) {}
}
