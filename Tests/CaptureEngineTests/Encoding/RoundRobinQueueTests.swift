import CaptureModel
import CaptureSystem
import CaptureTestSupport
import Dispatch
import Synchronization
import Testing

@testable import CaptureEngine

@Suite struct RoundRobinQueueTests {
  @Test func keysTakeTurnsAndEachKeepsItsOrder() {
    var queue = RoundRobinQueue<String, Int>()
    for number in 1...3 { queue.append(number, of: "a") }
    for number in 11...12 { queue.append(number, of: "b") }
    queue.append(21, of: "c")
    #expect(queue.popFirst() == 1)
    // One that comes again waits behind those of the same key, and the key behind the others.
    queue.append(4, of: "a")
    var order: [Int] = []
    while let next = queue.popFirst() { order.append(next) }
    #expect(order == [11, 21, 2, 12, 3, 4])
    #expect(queue.isEmpty && queue.popFirst() == nil)
  }

  @Test func whatMayNotBeNextKeepsItsPlace() {
    var queue = RoundRobinQueue<String, Int>()
    for number in 1...3 { queue.append(number, of: "a") }
    for number in 11...12 { queue.append(number, of: "b") }
    #expect(queue.popFirst { $0 > 20 } == nil)
    #expect(queue.popFirst { $0 > 1 } == 2)
    #expect(queue.popFirst { $0 != 1 } == 11)
    #expect(queue.popFirst { $0 % 2 == 0 } == 12)
    #expect(queue.popFirst() == 1)
    #expect(queue.popFirst() == 3)
    #expect(queue.isEmpty)
  }

  /// Three renditions of one camera and one of another, with two frames each, and one worker.
  @Test func renditionsOfACameraTakeTurnsWithinItsTurns() async {
    let workers = EncoderWorkers(count: 1) { FakeEncoder(permits: nil, counts: FakeEncoder.Counts()) }
    let (begun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    workers.submit(for: CameraID(rawValue: "gate")) { _ in
      begun.signal()
      gate.wait()
    }
    begun.wait()
    let order = Mutex<[String]>([])
    let slots = [("a", 1), ("a", 2), ("a", 3), ("b", 9)].map { camera, quality in
      EncodingSlot(
        .jpeg(JPEGSettings(size: Self.size, quality: quality)), of: CameraID(rawValue: camera),
        workers: FrameWorkers(workers, .fake())
      ) { ordinal, _ in order.withLock { $0.append("\(camera)\(quality), \(ordinal)") } }
    }
    for slot in slots {
      for ordinal in 1...2 { #expect(slot.submit(Self.frame(UInt64(ordinal))) == []) }
    }
    gate.signal()
    await eventually("all are made") { order.withLock { $0.count } == 8 }
    #expect(
      order.withLock { $0 }
        == ["a1, 1", "b9, 1", "a2, 1", "b9, 2", "a3, 1", "a1, 2", "a2, 2", "a3, 2"])
    for slot in slots { slot.end() }
  }

  private static let size = FrameSize(width: 640, height: 480)

  private static func frame(_ ordinal: UInt64) -> TakenFrame {
    let format = StreamFormat(
      pixelFormat: .yuyv, size: size, interval: nil, planes: [PlaneLayout(stride: 1280, bytes: 1280 * 480)])
    let frame = Frame(
      payload: Payload(copying: [0]), format: format, sequence: ordinal - 1, timestamp: .now)
    return TakenFrame(
      frame: frame, moment: FrameMoment(ordinal: ordinal, epoch: 0, time: 0, arrival: 0))
  }
}
