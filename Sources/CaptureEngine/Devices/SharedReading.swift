import CaptureModel

/// A reading of a camera, which all who wait for it share. Only one is under way at a time, however many callers ask. Those who ask meanwhile share
/// the next one, since the present one may be older than a change of which they know.
final class SharedReading<Value: Sendable> {
  private typealias Waiter = CheckedContinuation<Result<Value, CaptureError>?, Never>
  private(set) var isUnderWay = false
  /// Those who share the next reading. The first of them gets `nil`, and makes it.
  private var waiting: [Waiter] = []

  /// How many wait for the next reading.
  var waitingCount: Int { waiting.count }

  /// Returns the result of a reading that begins after this call: of `read`, or of another caller's.
  func value(_ read: () async throws(CaptureError) -> Value) async throws(CaptureError) -> Value {
    if isUnderWay, let shared = await withCheckedContinuation({ waiting.append($0) }) {
      return try shared.get()
    }
    isUnderWay = true
    let sharing = waiting
    waiting = []
    let result: Result<Value, CaptureError>
    do throws(CaptureError) { result = .success(try await read()) } catch { result = .failure(error) }
    if case .failure = result, Task.isCancelled {
      // The others were not cancelled. They share the next one.
      waiting = sharing + waiting
    } else {
      for waiter in sharing { waiter.resume(returning: result) }
    }
    if waiting.isEmpty { isUnderWay = false } else { waiting.removeFirst().resume(returning: nil) }
    return try result.get()
  }
}
