import CaptureWire

/// Who waits for a unary call's answer.
typealias AnswerTaker = UnsafeContinuation<Result<RawMessage, RPCError>, Never>

/// What a connection keeps of a unary call, from its opening until its answer is taken. Nobody has a handle of it.
struct UnaryCall {
  let method: String
  var answer: RawMessage?
  /// How it ended.
  var ending: Result<Void, RPCError>?
  var taker: AnswerTaker?

  init(method: String) { self.method = method }

  /// Of a call that has ended.
  var outcome: Result<RawMessage, RPCError> {
    if case .failure(let error)? = ending { return .failure(error) }
    return answer.map { .success($0) }
      ?? .failure(RPCError(.dataLoss, "\(method) ended in OK without its one answer"))
  }
}
