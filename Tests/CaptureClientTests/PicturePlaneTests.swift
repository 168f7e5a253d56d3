import CaptureModel
import CaptureSystem
import CaptureWire
import Testing

@testable import CaptureClient

@Suite struct PicturePlaneTests {
  private func frame(
    _ format: PixelFormat, _ width: Int, _ height: Int, stride: Int?, bytes: Int
  ) -> ReceivedFrame {
    let planes = stride.map { [Plane(stride: UInt32($0), bytes: UInt32(bytes))] } ?? []
    let message = VideoFrame(
      info: CaptureWire.FrameInfo(
        pixelFormat: format.rawValue, size: Size(width: UInt32(width), height: UInt32(height)), planes: planes
      ))
    let payload = Payload(copying: (0..<bytes).map { UInt8(truncatingIfNeeded: $0) })
    return ReceivedFrame(message, payload: payload, arrival: 0, clockOffset: nil)
  }

  /// Where each plane begins and ends in the payload, and its form.
  private func places(_ frame: ReceivedFrame) -> [[Int]?] {
    (0..<frame.planeCount).map { index in
      frame.withPlane(index) { plane in
        let start = UnsafeRawPointer(plane.bytes.baseAddress!) - frame.payload.segments[0].baseAddress!
        return [start, start + plane.bytes.count, plane.bytesPerRow, plane.width, plane.height]
      }
    }
  }

  @Test(arguments: [
    (PixelFormat.ar24, 20, 80, [[0, 60, 20, 5, 3]]), (.rgb3, 15, 45, [[0, 45, 15, 5, 3]]),
    (.grey, 5, 15, [[0, 15, 5, 5, 3]]), (.grey, 8, 24, [[0, 24, 8, 5, 3]]),
    // Rows of an odd width are as long as their colours need.
    (.nv12, 6, 30, [[0, 18, 6, 5, 3], [18, 30, 6, 3, 2]]),
    (.yu12, 6, 30, [[0, 18, 6, 5, 3], [18, 24, 3, 3, 2], [24, 30, 3, 3, 2]]),
    (.yu12, 8, 40, [[0, 24, 8, 5, 3], [24, 32, 4, 3, 2], [32, 40, 4, 3, 2]]),
  ])
  func planesLieInThePayload(format: PixelFormat, stride: Int, bytes: Int, expected: [[Int]]) {
    let frame = frame(format, 5, 3, stride: stride, bytes: bytes)
    #expect(places(frame) == expected)
    #expect(frame.withPlane(expected.count) { _ in 0 } == nil)
    #expect(frame.withPlane(-1) { _ in 0 } == nil)
    let last = frame.withPlane(expected.count - 1) { $0.bytes[0] }
    #expect(last == UInt8(expected.last![0]))
  }

  @Test func aJPEGHasNoPlanes() {
    let frame = frame(.mjpeg, 5, 3, stride: nil, bytes: 100)
    #expect(frame.planeCount == 0 && frame.withPlane(0) { _ in 0 } == nil)
  }

  @Test(arguments: [
    (PixelFormat.ar24, 20, 60), (.rgb3, 15, 45), (.grey, 5, 15), (.nv12, 6, 30), (.yu12, 6, 30),
  ])
  func aPayloadThatIsTooShortHasNotItsLastPlane(format: PixelFormat, stride: Int, bytes: Int) {
    #expect(places(frame(format, 5, 3, stride: stride, bytes: bytes)).last! != nil)
    #expect(places(frame(format, 5, 3, stride: stride, bytes: bytes - 1)).last! == nil)
  }

  @Test(arguments: [PixelFormat.ar24, .nv12, .yu12]) func numbersBeyondAnyMemoryAreNoPlanes(
    format: PixelFormat
  ) {
    let huge = Int(UInt32.max)
    let frame = frame(format, huge, huge, stride: huge, bytes: 16)
    #expect((0..<3).allSatisfy { frame.withPlane($0) { _ in 0 } == nil })
  }

  @Test func anErrorOfTheBodyIsThrown() {
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try frame(.grey, 5, 3, stride: 5, bytes: 15).withPlane(0) { _ in throw Stop() }
    }
  }

  /// What a node makes of a camera's picture, in odd sizes too, where the format can have them.
  @Test(.timeLimit(.minutes(1)), arguments: [FrameFormat.bgra, .rgb24, .nv12, .i420, .grey])
  func aNodesFramesHaveTheirPlanes(format: FrameFormat) async throws {
    let live = try await LiveNode()
    let (node, _) = try await live.client()
    let isSubsampled = [.nv12, .i420].contains(format)
    let odd = isSubsampled ? FrameSize(width: 162, height: 90) : FrameSize(width: 161, height: 91)
    for size in [FrameSize(width: 320, height: 240), odd] {
      var frames = node.camera("0").videoOutput.frames(format: format, size: size, gravity: .fill)
        .makeAsyncIterator()
      let frame = try #require(try await frames.next())
      #expect(frame.info.size == size)
      let places = try places(frame).map { try #require($0) }
      #expect(places.count == [.bgra: 1, .rgb24: 1, .nv12: 2, .i420: 3, .grey: 1][format])
      #expect(places[0][0] == 0 && places.last![1] == frame.payload.count)
      for (one, next) in zip(places, places.dropFirst()) { #expect(one[1] == next[0]) }
    }
    await live.stop()
  }
}
