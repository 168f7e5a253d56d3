import CaptureSystem

/// A failure that a person reads: what was asked, what is possible, what to do.
public struct CaptureError: Error, Hashable, Sendable {
  /// What kind of failure; the same kinds as gRPC's status codes, whose numbers the wire uses.
  public enum Code: UInt32, Sendable, CaseIterable {
    case cancelled = 1
    case unknown = 2
    /// What was asked is wrong whatever the node's state.
    case invalidArgument = 3
    case deadlineExceeded = 4
    case notFound = 5
    case alreadyExists = 6
    case permissionDenied = 7
    /// A bound was reached: connections, calls, disk.
    case resourceExhausted = 8
    /// Right in itself, but not in the present state: another client holds the format, a control is inactive.
    case failedPrecondition = 9
    case aborted = 10
    case outOfRange = 11
    case unimplemented = 12
    /// A bug.
    case `internal` = 13
    /// Not now, perhaps later: unplugged, draining, no node there.
    case unavailable = 14
    case dataLoss = 15
    case unauthenticated = 16
  }

  public var code: Code
  public var message: String
  /// The system call's failure behind it, where there is one.
  public var cause: Errno?

  public init(_ code: Code, _ message: String, cause: Errno? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }
}

extension CaptureError: CustomStringConvertible {
  public var description: String { message }
}

extension CaptureError {
  /// The same, after what it means to whoever asked.
  public func prefixed(_ text: String) -> CaptureError {
    CaptureError(code, "\(text): \(message)", cause: cause)
  }

  /// Throws `cancelled` when the task that it is called from has been: whoever asked has gone, and what he asked for must not happen later.
  public static func checkCancellation() throws(CaptureError) {
    if Task.isCancelled { throw CaptureError(.cancelled, "the call was cancelled") }
  }
}
