import CaptureWire

/// A task that waits for a unary call's answer.
typealias AnswerTaker = UnsafeContinuation<Result<RawMessage, RPCError>, Never>

/// The connection's state of a unary call, from its opening to its end. It has no handle.
struct UnaryCall {
  let method: String
  let taker: AnswerTaker
  var answer: RawMessage?

  /// The result of the call when it has ended; `error`: its status, where that is not OK.
  func outcome(_ error: RPCError?) -> Result<RawMessage, RPCError> {
    if let error { return .failure(error) }
    return answer.map { .success($0) }
      ?? .failure(RPCError(.dataLoss, "\(method) ended in OK without its one answer"))
  }
}
