import Capture3A
import CaptureModel
import CaptureSystem
import Synchronization
import Testing

@testable import CaptureEngine

/// Photos that wait until a camera has settled look at the same frames.
@Suite(.timeLimit(.minutes(1))) struct PhotoMeterTests {
  private actor Photos {
    private let meter = PhotoMeter()
    private(set) var asked = 0

    func measure(
      _ taken: TakenFrame, in hub: StreamHub, by work: @escaping @Sendable () async -> PhotoMeter.Reading
    ) async -> PhotoMeter.Reading {
      asked += 1
      return await meter.measure(taken, in: hub, by: work)
    }
  }

  private static func hub() -> StreamHub {
    StreamHub(
      timeline: SettingsTimeline(report: { _ in }, readAgain: {}), defect: { _, _ in nil },
      report: { _, _ in })
  }

  private static func isUnusable(_ reading: PhotoMeter.Reading) -> Bool {
    if case .unusable = reading { true } else { false }
  }

  @Test func photosOfOneFrameShareItsReadingAndALaterFrameIsLeftOut() async {
    let (photos, hub) = (Photos(), Self.hub())
    let (permits, permit) = AsyncStream.makeStream(of: Void.self)
    let measured = Mutex(0)
    let work = { @Sendable () async -> PhotoMeter.Reading in
      measured.withLock { $0 += 1 }
      for await _ in permits { break }
      return .unmeterable
    }
    let frame = TakenFrame.ofPhoto(0, bytes: 1)
    let readings = (0..<3).map { _ in Task { await photos.measure(frame, in: hub, by: work) } }
    await eventually("all wait for its reading") { await photos.asked == 3 }
    await eventually("it is being measured") { measured.withLock { $0 } == 1 }
    #expect(Self.isUnusable(await photos.measure(.ofPhoto(1, bytes: 1), in: hub, by: work)))
    // Another stream has its own.
    let other = await photos.measure(.ofPhoto(1, bytes: 1), in: Self.hub()) { .unmeterable }
    #expect(!Self.isUnusable(other))
    permit.yield()
    for reading in readings { #expect(!Self.isUnusable(await reading.value)) }
    #expect(measured.withLock { $0 } == 1)
    #expect(!Self.isUnusable(await photos.measure(.ofPhoto(2, bytes: 1), in: hub) { .unmeterable }))
  }
}
