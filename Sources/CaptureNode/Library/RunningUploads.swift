import CaptureModel
import Synchronization

/// How many clients add something to the library now, and the bound.
final class RunningUploads: Sendable {
  private let count = Mutex(0)

  /// Throws `resourceExhausted` where as many run already.
  func run<R>(atMost bound: Int, _ body: () async throws -> R) async throws -> R {
    let isFull = count.withLock { count in
      guard count < bound else { return true }
      count += 1
      return false
    }
    if isFull {
      throw NodeLimit.libraryUploads.exceeded(
        bound: bound, "\(bound) clients add to the library already; try again in a moment")
    }
    defer { count.withLock { $0 -= 1 } }
    return try await body()
  }
}
