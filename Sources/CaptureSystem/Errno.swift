import Glibc

/// A failure that a system call reported (`errno`).
public struct Errno: Error, Hashable, Sendable, RawRepresentable {
  /// The C value: `ENODEV`, `EAGAIN`, …
  public let rawValue: Int32

  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// The calling thread's `errno` now.
  package static var current: Errno { Errno(rawValue: errno) }

  package static let again = Errno(rawValue: EAGAIN)
  package static let interrupted = Errno(rawValue: EINTR)
  package static let noDevice = Errno(rawValue: ENODEV)
  package static let invalid = Errno(rawValue: EINVAL)
  package static let inputOutput = Errno(rawValue: EIO)
  package static let busy = Errno(rawValue: EBUSY)
  package static let noSpace = Errno(rawValue: ENOSPC)
  package static let quotaExceeded = Errno(rawValue: EDQUOT)
  package static let accessDenied = Errno(rawValue: EACCES)
  package static let range = Errno(rawValue: ERANGE)
  package static let notTTY = Errno(rawValue: ENOTTY)
  package static let timedOut = Errno(rawValue: ETIMEDOUT)
  package static let brokenPipe = Errno(rawValue: EPIPE)
  package static let noEntry = Errno(rawValue: ENOENT)
  package static let notDirectory = Errno(rawValue: ENOTDIR)
}

extension Errno: CustomStringConvertible {
  /// The C library's text: "No such device".
  public var description: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
      guard strerror_r(rawValue, buffer.baseAddress!, buffer.count) == 0 else { return "errno \(rawValue)" }
      return String(cString: buffer.baseAddress!)
    }
  }
}

/// Calls `body` until it does not fail with `EINTR`.
@inlinable
package func retrying<R>(_ body: () throws(Errno) -> R) throws(Errno) -> R {
  while true {
    do throws(Errno) {
      return try body()
    } catch {
      if error.rawValue != EINTR { throw error }
    }
  }
}

/// Calls a system function in the same way. A negative result becomes the `Errno` that the function left.
@inlinable
package func retryingInterrupts<T: FixedWidthInteger & SignedInteger>(
  _ body: () -> T
) throws(Errno) -> T {
  try retrying { () throws(Errno) in
    let result = body()
    guard result >= 0 else { throw Errno(rawValue: errno) }
    return result
  }
}
