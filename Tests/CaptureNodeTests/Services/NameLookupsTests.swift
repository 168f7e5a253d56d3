import CaptureModel
import CaptureTestSupport
import CaptureWire
import Synchronization
import Testing

@testable import CaptureNode

@Suite(.timeLimit(.minutes(1))) struct NameLookupsTests {
  private final class Tally: Sendable {
    let count = Mutex(0)
  }

  @Test func oneMoreThanMayReadsACamerasControlsIsRefusedUntilOneIsDone() async throws {
    let reads = NameLookups()
    let (camera, other) = (CameraID(rawValue: "a"), CameraID(rawValue: "b"))
    let bound = NodeLimit.lookupsPerCamera.usual
    let (permits, permit) = AsyncStream.makeStream(of: Void.self)
    let begun = Tally()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<bound {
        group.addTask {
          try await reads.count(of: camera) {
            begun.count.withLock { $0 += 1 }
            for await _ in permits { break }
          }
        }
      }
      await eventually("all read") { begun.count.withLock { $0 } == bound }
      let error = await status { try await reads.count(of: camera) {} }
      #expect(error?.code == .resourceExhausted && error?.details?.limit == "lookupsPerCamera")
      try await reads.count(of: other) {}
      permit.finish()
      try await group.waitForAll()
    }
    try await reads.count(of: camera) {}
  }
}
