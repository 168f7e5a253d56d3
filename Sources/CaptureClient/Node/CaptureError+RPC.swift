internal import CaptureModel
internal import CaptureWire

extension CaptureError {
  /// The error of a call: the node's own, or this side's for a broken connection or an expired deadline.
  init(_ error: RPCError) {
    self.init(Code(rawValue: error.code.rawValue) ?? .unknown, error.text, error.details)
  }
}

/// Returns what `body` returns. Throws a call's error as a ``CaptureError``.
func convertingErrors<R>(_ body: () async throws(RPCError) -> R) async throws(CaptureError) -> R {
  do throws(RPCError) { return try await body() } catch { throw CaptureError(error) }
}
