import CaptureModel
import CaptureTestSupport
import CaptureWire
import Synchronization
import Testing

@testable import CaptureNode

@Suite(.timeLimit(.minutes(1))) struct CameraLinesTests {
  private final class Tally: Sendable {
    let count = Mutex(0)
  }

  private let camera = CameraID(rawValue: "a")

  @Test func aFewLookUpAtOnceOthersWaitAndOneMoreThanMayIsRefused() async throws {
    let lookups = CameraLines.ofLookups()
    let bound = NodeLimit.lookupsPerCamera.usual
    let (permits, permit) = AsyncStream.makeStream(of: Void.self)
    let begun = Tally()
    try await withThrowingTaskGroup(of: Void.self) { [camera] group in
      for _ in 0..<bound {
        group.addTask {
          try await lookups.run(for: camera) {
            begun.count.withLock { $0 += 1 }
            for await _ in permits { break }
          }
        }
      }
      await eventually("the others wait") {
        lookups.waitingCount(for: camera) == bound - lookups.atOnce
          && begun.count.withLock { $0 } == lookups.atOnce
      }
      let error = await status { try await lookups.run(for: camera) {} }
      #expect(error?.code == .resourceExhausted && error?.details?.limit == "lookupsPerCamera")
      try await lookups.run(for: CameraID(rawValue: "b")) {}
      #expect(begun.count.withLock { $0 } == lookups.atOnce)
      permit.finish()
      try await group.waitForAll()
    }
    #expect(begun.count.withLock { $0 } == bound && lookups.waitingCount(for: camera) == 0)
    try await lookups.run(for: camera) {}
  }

  @Test func whoIsCancelledWhileItWaitsLosesItsPlaceAndNoOtherDoes() async throws {
    let lookups = CameraLines.ofLookups()
    let (permits, permit) = AsyncStream.makeStream(of: Void.self)
    let begun = Tally()
    let running = (0..<lookups.atOnce).map { _ in
      Task { [camera] in
        try await lookups.run(for: camera) {
          begun.count.withLock { $0 += 1 }
          for await _ in permits { break }
        }
      }
    }
    await eventually("all look up that may") { begun.count.withLock { $0 } == lookups.atOnce }
    let cancelled = Task { [camera] in
      try await lookups.run(for: camera) { _ = Issue.record("it was cancelled before its turn") }
    }
    await eventually("it waits") { lookups.waitingCount(for: camera) == 1 }
    cancelled.cancel()
    #expect(await status { try await cancelled.value }?.code == .cancelled)
    #expect(lookups.waitingCount(for: camera) == 0)
    permit.finish()
    for task in running { try await task.value }
    try await lookups.run(for: camera) {}
  }
}
