import CaptureControls
import CaptureModel
import Testing

@testable import CaptureEngine

@Suite(.timeLimit(.minutes(1))) struct SettingsTimelineTests {
  private static let camera = "'camera'"

  private func timeline(mostWaiting: Int = 4_096) -> SettingsTimeline {
    SettingsTimeline(mostWaiting: mostWaiting, report: { _ in }, readAgain: {})
  }

  private func make(_ changes: ClosedRange<UInt64>, in timeline: SettingsTimeline) {
    for change in changes {
      timeline.begin(change, [])
      timeline.end(change, FrameSettings())
    }
  }

  private func isKnown(_ change: UInt64, to timeline: SettingsTimeline) async -> Bool {
    do throws(CaptureError) {
      _ = try await timeline.applied(change, latest: change, camera: Self.camera)
      return true
    } catch {
      #expect(error.code == .notFound)
      return false
    }
  }

  @Test func soManyChangesWaitForTheirFrameAndNoMore() throws {
    let timeline = timeline(mostWaiting: 3)
    timeline.streamStarted(interval: nil)
    make(1...3, in: timeline)
    do throws(CaptureError) {
      try timeline.requireRoom(on: Self.camera)
      Issue.record("a fourth may wait")
    } catch {
      #expect(error.code == .resourceExhausted && error.message.contains("3 changes of \(Self.camera)"))
      #expect(error.details == NodeLimit.waitingChangesPerCamera.details(bound: 3))
    }
    _ = timeline.frame(1, timestamp: 1)
    try timeline.requireRoom(on: Self.camera)
    // Those of a stream that has ended wait for nothing.
    timeline.streamEnded()
    timeline.streamStarted(interval: nil)
    make(4...6, in: timeline)
    timeline.streamEnded()
    try timeline.requireRoom(on: Self.camera)
  }

  @Test func theLatestChangesAreRemembered() async {
    let timeline = timeline()
    let last = UInt64(SettingsTimeline.remembered) + 10
    make(1...last, in: timeline)
    #expect(await !isKnown(1, to: timeline))
    #expect(await isKnown(last, to: timeline))
    // A later change makes the node forget one, so the last does not count yet.
    #expect(await isKnown(10, to: timeline))
    #expect(await !isKnown(9, to: timeline))
  }

  /// A ramp waits for minutes.
  @Test func aChangeThatWaitsLongKeepsNoOthers() async {
    let timeline = timeline()
    timeline.begin(1, [])
    timeline.promise(1, .zoomFactor)
    timeline.end(1, FrameSettings())
    let last = UInt64(SettingsTimeline.remembered) + 10
    make(2...last, in: timeline)
    #expect(await !isKnown(2, to: timeline))
    #expect(await isKnown(last, to: timeline))
    timeline.abandon(1)
    #expect(await !isKnown(1, to: timeline), "the call that made it has told why")
  }

  /// On a device's queue the next change may come between a frame and those who wait for it. It makes the node forget a change that one of them waits for.
  @Test func whoWaitedForAChangeIsToldOfItThoughItIsForgotten() async throws {
    let timeline = timeline()
    timeline.streamStarted(interval: nil)
    let last = UInt64(SettingsTimeline.remembered) + 10
    make(1...last, in: timeline)
    let device = Waiter(timeline)
    async let applied = device.applied(1)
    await eventually("it waits") { await device.isWaiting }
    await device.takeFrameAndChange(last + 1)
    #expect(try await applied.change == 1)
    #expect(await !isKnown(1, to: timeline))
  }
}

/// Waits for a change as a device does: what it does next comes before those who wait go on.
private actor Waiter {
  private let timeline: SettingsTimeline
  private(set) var isWaiting = false

  init(_ timeline: SettingsTimeline) { self.timeline = timeline }

  func applied(_ change: UInt64) async throws -> SettingsTimeline.Applied {
    isWaiting = true
    return try await timeline.applied(change, latest: change, camera: "'camera'")
  }

  func takeFrameAndChange(_ change: UInt64) {
    _ = timeline.frame(1, timestamp: 1)
    timeline.begin(change, [])
  }
}
