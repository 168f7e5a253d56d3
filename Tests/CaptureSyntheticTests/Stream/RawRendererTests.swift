import CaptureImaging
import CaptureModel
import CaptureSystem
import Testing

@testable import CaptureSynthetic

struct RawRendererTests {
  static let size = FrameSize(width: 320, height: 240)
  let scene = Scene(size: Self.size, caption: "TEST")

  private func moment(_ number: UInt64) -> Moment {
    Moment(sequence: number, timestamp: number * 333_333_333)
  }

  /// Repainting only what moved must leave what painting everything leaves.
  @Test(arguments: [RawLayout.yuyv, .nv12, .rggb8])
  func repaintedBufferEqualsAFreshOne(layout: RawLayout) throws {
    let renderer = RawRenderer(layout, scene: scene, tone: Tone())
    for number in 0..<40 as Range<UInt64> {
      let moment = moment(number)
      let tone = Tone(brightness: number < 20 ? 0 : 30)
      let kept = try #require(renderer.render(moment, tone: tone)).bytes
      let fresh = RawRenderer(layout, scene: scene, tone: tone)
      #expect(try #require(fresh.render(moment, tone: tone)).bytes == kept, "frame \(number)")
    }
  }

  @Test func framesDiffer() throws {
    let renderer = RawRenderer(.yuyv, scene: scene, tone: Tone())
    let first = try #require(renderer.render(moment(1), tone: Tone())).bytes
    #expect(try #require(renderer.render(moment(2), tone: Tone())).bytes != first)
  }

  @Test func buffersAreFew() throws {
    let renderer = RawRenderer(.yuyv, scene: scene, tone: Tone())
    var held = (0..<RawRenderer.bufferCount).map { renderer.render(moment(UInt64($0)), tone: Tone()) }
    #expect(held.allSatisfy { $0 != nil })
    #expect(renderer.render(moment(9), tone: Tone()) == nil)
    held.removeLast()
    #expect(renderer.render(moment(10), tone: Tone()) != nil)
  }

  /// BT.601, video range: what a webcam sends.
  @Test func barsHaveTheirValues() throws {
    let bytes = try #require(
      RawRenderer(.yuyv, scene: scene, tone: Tone()).render(moment(0), tone: Tone())
    ).bytes
    let expected: [(bar: Int, y: Int, u: Int, v: Int)] = [
      (0, 180, 128, 128), (1, 162, 44, 142), (2, 131, 156, 44), (3, 112, 72, 58), (4, 84, 184, 198),
      (5, 65, 100, 212), (6, 35, 212, 114),
    ]
    for (bar, y, u, v) in expected {
      let x = (2 * bar + 1) * Self.size.width / 16 & ~1
      let start = ((Self.size.height - Self.size.height / 10) * Self.size.width + x) * 2
      let found = bytes[start..<start + 4].map(Int.init)
      for (a, b) in zip(found, [y, u, y, v]) { #expect(abs(a - b) <= 3, "bar \(bar): \(found)") }
    }
  }

  @Test func controlsChangeTheLight() throws {
    func light(_ tone: Tone) throws -> Int {
      let bytes = try #require(RawRenderer(.yuyv, scene: scene, tone: tone).render(moment(0), tone: tone))
        .bytes
      return stride(from: 0, to: bytes.count, by: 2).reduce(0) { $0 + Int(bytes[$1]) } / (bytes.count / 2)
    }
    let neutral = try light(Tone())
    #expect(try light(Tone(brightness: 40)) > neutral + 20)
    #expect(try light(Tone(brightness: -40)) < neutral - 20)
    #expect(try light(Tone(gain: 64)) > neutral + 20)
    #expect(try light(Tone(exposure: Tone.rightExposure / 4)) < neutral - 20)
    #expect(try light(Tone(exposure: Tone.rightExposure)) == neutral)
    // No contrast: one grey everywhere.
    #expect(abs(try light(Tone(contrast: 0)) - 126) <= 1)
  }
}
