import CaptureModel
import CaptureSystem
import Dispatch
import Synchronization
import Testing

@testable import CaptureEngine

/// Work that takes long, as that of photos, beside renditions.
@Suite(.timeLimit(.minutes(1))) struct EncoderWorkersTests {
  private let begun = Log()
  private let permits = DispatchSemaphore(value: 0)

  private final class Log: Sendable {
    private let names = Mutex<[String]>([])
    var all: [String] { names.withLock { $0 } }
    func add(_ name: String) { names.withLock { $0.append(name) } }
  }

  private static func workers(_ count: Int) -> EncoderWorkers {
    EncoderWorkers(count: count) { FakeEncoder(permits: nil, counts: FakeEncoder.Counts()) }
  }

  /// `camera`: `nil` for one of its own.
  private func submit(_ name: String, of camera: String? = nil, isLong: Bool, to workers: EncoderWorkers) {
    workers.submit(for: CameraID(rawValue: camera ?? name), isLong: isLong) { [begun, permits] _ in
      begun.add(name)
      if isLong { permits.wait() }
    }
  }

  @Test func longWorkOfManyCamerasLeavesAWorkerToRenditions() async {
    let workers = Self.workers(2)
    workers.renditionBegan()
    submit("long 1", isLong: true, to: workers)
    await eventually("it has begun") { begun.all.count == 1 }
    for name in ["long 2", "long 3"] { submit(name, isLong: true, to: workers) }
    for number in 1...5 {
      submit("rendition \(number)", isLong: false, to: workers)
      await eventually("a frame is encoded") { begun.all.count == number + 1 }
    }
    #expect(begun.all == ["long 1"] + (1...5).map { "rendition \($0)" })
    permits.signal()
    await eventually("the next is under way") { begun.all.last == "long 2" }
    permits.signal()
    await eventually("the last is under way") { begun.all.last == "long 3" }
    permits.signal()
    workers.renditionEnded()
  }

  /// A camera with renditions has its turns while the long work of another camera is under way.
  @Test func theOldestLongWorkIsNext() async {
    let workers = Self.workers(2)
    workers.renditionBegan()
    submit("long 1", isLong: true, to: workers)
    await eventually("it has begun") { begun.all.count == 1 }
    submit("viewed, long", of: "viewed", isLong: true, to: workers)
    submit("long 2", isLong: true, to: workers)
    for number in 1...3 {
      submit("viewed, \(number)", of: "viewed", isLong: false, to: workers)
      await eventually("a frame is encoded") { begun.all.count == number + 1 }
    }
    for name in ["viewed, long", "long 2"] {
      permits.signal()
      await eventually("the next is under way") { begun.all.last == name }
    }
    permits.signal()
    workers.renditionEnded()
  }

  @Test func whenTheLastRenditionEndsLongWorkHasAllWorkers() async {
    let workers = Self.workers(2)
    workers.renditionBegan()
    #expect(workers.mostLong == 1)
    submit("long 1", isLong: true, to: workers)
    await eventually("it has begun") { begun.all.count == 1 }
    submit("long 2", isLong: true, to: workers)
    // The worker that is left has looked for work.
    submit("rendition", isLong: false, to: workers)
    await eventually("a frame is encoded") { begun.all.count == 2 }
    workers.renditionEnded()
    await eventually("the other is under way") { begun.all == ["long 1", "rendition", "long 2"] }
    #expect(workers.mostLong == 2)
    for _ in 1...2 { permits.signal() }
  }

  /// Also what a client reads only after that.
  @Test func theLastRenditionsMemoryIsGivenBack() {
    let workers = Self.workers(2)
    workers.renditionBegan()
    workers.renditionBegan()
    weak let pool = workers.pool
    var late: Payload? = workers.pool.take(10_000).finish(count: 10_000)
    _ = workers.pool.take(10_000).finish(count: 10_000)
    workers.renditionEnded()
    #expect(pool != nil && workers.pool === pool)
    workers.renditionEnded()
    #expect(pool != nil && workers.pool !== pool, "a picture of it is still read")
    late = nil
    #expect(late == nil && pool == nil)
  }

  @Test func withoutRenditionsLongWorkHasAllWorkers() async {
    let workers = Self.workers(2)
    for number in 1...3 { submit("long \(number)", isLong: true, to: workers) }
    await eventually("two are under way") { begun.all.count == 2 }
    for _ in 1...3 { permits.signal() }
    await eventually("all were done") { begun.all.count == 3 }
  }

  @Test func oneWorkerDoesBothInTurn() async {
    let workers = Self.workers(1)
    workers.renditionBegan()
    submit("long 1", isLong: true, to: workers)
    await eventually("it has begun") { begun.all.count == 1 }
    submit("long 2", isLong: true, to: workers)
    submit("rendition", isLong: false, to: workers)
    for _ in 1...2 { permits.signal() }
    await eventually("all were done") { begun.all.count == 3 }
    #expect(begun.all == ["long 1", "long 2", "rendition"])
    workers.renditionEnded()
  }
}
