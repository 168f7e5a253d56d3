import CaptureModel

/// How a call ended, by gRPC's codes. Any other number is kept as it is.
public struct StatusCode: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public static let ok = StatusCode(rawValue: 0)
  public static let cancelled = StatusCode(.cancelled)
  public static let unknown = StatusCode(.unknown)
  public static let invalidArgument = StatusCode(.invalidArgument)
  public static let deadlineExceeded = StatusCode(.deadlineExceeded)
  public static let notFound = StatusCode(.notFound)
  public static let permissionDenied = StatusCode(.permissionDenied)
  public static let resourceExhausted = StatusCode(.resourceExhausted)
  public static let failedPrecondition = StatusCode(.failedPrecondition)
  public static let aborted = StatusCode(.aborted)
  public static let unimplemented = StatusCode(.unimplemented)
  public static let `internal` = StatusCode(.internal)
  public static let unavailable = StatusCode(.unavailable)
  public static let dataLoss = StatusCode(.dataLoss)
  public static let unauthenticated = StatusCode(.unauthenticated)

  public init(_ code: CaptureError.Code) { rawValue = code.rawValue }
}

extension StatusCode: CustomStringConvertible {
  /// gRPC's name: "FAILED_PRECONDITION".
  public var description: String {
    if self == .ok { return "OK" }
    return CaptureError.Code(rawValue: rawValue)?.name ?? "STATUS_\(rawValue)"
  }
}
