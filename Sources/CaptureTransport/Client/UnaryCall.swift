import CaptureWire

/// A task that waits for a unary call's answer.
typealias AnswerTaker = UnsafeContinuation<Result<RawMessage, RPCError>, Never>

/// The connection's state of a unary call, from its opening until its answer is taken. It has no handle.
struct UnaryCall {
  let method: String
  var answer: RawMessage?
  /// The call's end; `nil` while it is open.
  var ending: Result<Void, RPCError>?
  var taker: AnswerTaker?

  init(method: String) { self.method = method }

  /// The result of a call that has ended.
  var outcome: Result<RawMessage, RPCError> {
    if case .failure(let error)? = ending { return .failure(error) }
    return answer.map { .success($0) }
      ?? .failure(RPCError(.dataLoss, "\(method) ended in OK without its one answer"))
  }
}
