internal import CaptureModel
internal import CaptureSystem
internal import CaptureWire

/// Waits for `body`. A caller that is cancelled waits no longer and gets `cancelled`; `body` then goes on by itself, and `discard` gets the result of
/// `body`.
///
/// For calls that cannot be taken back while they are on their way: a connection that is being made, a lease that may be given any moment.
func abandoningIfCancelled<Result: Sendable>(
  discard: @escaping @Sendable (Result) async -> Void = { _ in },
  _ body: @escaping @Sendable () async throws(RPCError) -> Result
) async throws(RPCError) -> Result {
  let answer = FirstAnswer<Result, RPCError>()
  Task {
    // If the caller was cancelled before this task began, `body` is not called.
    if answer.isGiven { return }
    let outcome: Swift.Result<Result, RPCError>
    do throws(RPCError) { outcome = .success(try await body()) } catch { outcome = .failure(error) }
    if !answer.give(outcome), case .success(let late) = outcome { await discard(late) }
  }
  return try await withTaskCancellationHandler {
    await answer.wait()
  } onCancel: {
    answer.give(.failure(RPCError(.callCancelled)))
  }.get()
}
