import CaptureModel
import Synchronization

/// The calls of one kind, in a line for each camera. Only ``atOnce`` of them run for a camera at a time, and the others wait for their turn, so that
/// a call of another kind waits for no more than those that run. A waiting call keeps its request in memory, so the number of a camera's calls is
/// bounded.
final class CameraLines: Sendable {
  /// How many calls may run for a camera at once.
  let atOnce: Int
  private let limit: NodeLimit
  /// What the calls do with a camera, for the refusal: "look up names of".
  private let what: String

  private struct Line {
    var running = 0
    var waiting: [(ticket: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
  }
  private struct State {
    var lines: [CameraID: Line] = [:]
    var tickets: UInt64 = 0
  }
  private let state = Mutex(State())

  /// `limit`: how many calls may run or wait for a camera.
  init(_ limit: NodeLimit, atOnce: Int, _ what: String) {
    (self.limit, self.atOnce, self.what) = (limit, atOnce, what)
  }

  /// The line of calls that look up names of a camera's controls or settings.
  static func ofLookups() -> CameraLines {
    CameraLines(.lookupsPerCamera, atOnce: 8, "look up names of")
  }

  /// How many calls wait for their turns.
  func waitingCount(for camera: CameraID) -> Int {
    state.withLock { $0.lines[camera]?.waiting.count ?? 0 }
  }

  /// Runs `body` when it is the caller's turn. Throws `resourceExhausted` where as many calls run or wait as may, and `cancelled` when the task is
  /// cancelled while it waits.
  func run<Value>(for camera: CameraID, _ body: () async throws -> Value) async throws -> Value {
    try await enter(camera)
    defer { leave(camera) }
    return try await body()
  }

  private func enter(_ camera: CameraID) async throws(CaptureError) {
    let bound = limit.usual
    let ticket = state.withLock { state in
      state.tickets += 1
      return state.tickets
    }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isIn = state.withLock { state -> Bool? in
          var line = state.lines[camera] ?? Line()
          defer { state.lines[camera] = line.running == 0 ? nil : line }
          if Task.isCancelled || line.running + line.waiting.count >= bound { return false }
          if line.running < atOnce {
            line.running += 1
            return true
          }
          line.waiting.append((ticket, continuation))
          return nil
        }
        if let isIn { continuation.resume(returning: isIn) }
      }
    } onCancel: {
      forget(ticket, of: camera)
    }
    guard !result else { return }
    if Task.isCancelled { throw .callCancelled }
    throw limit.exceeded("\(bound) calls \(what) '\(camera.rawValue)' already; ask again")
  }

  private func forget(_ ticket: UInt64, of camera: CameraID) {
    let waiter = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      guard let index = state.lines[camera]?.waiting.firstIndex(where: { $0.ticket == ticket }) else {
        return nil
      }
      return state.lines[camera]?.waiting.remove(at: index).continuation
    }
    waiter?.resume(returning: false)
  }

  private func leave(_ camera: CameraID) {
    let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      guard var line = state.lines[camera] else { return nil }
      defer { state.lines[camera] = line.running == 0 ? nil : line }
      guard line.waiting.isEmpty else { return line.waiting.removeFirst().continuation }
      line.running -= 1
      return nil
    }
    next?.resume(returning: true)
  }
}
