import CaptureModel
import Testing

@testable import Capture3A

@Suite struct SoftwareLoopTests {
  private static func frame(_ sequence: UInt64) -> FrameStatistics {
    let grid = ZoneGrid(columns: 1, rows: 1)
    let grey = Zone(
      luma: 0.5, luminance: 0.2, color: LinearColor(red: 0.2, green: 0.2, blue: 0.2), usable: 1, black: 0,
      white: 0, contrast: 0)
    let timestamp = FrameTimestamp(nanoseconds: sequence, clock: .monotonic, source: .endOfFrame)
    return FrameStatistics(sequence: sequence, timestamp: timestamp, grid: grid, zones: [grey])
  }

  private static func format(_ rate: Double) -> StreamFormat {
    StreamFormat(
      pixelFormat: .yuyv, size: FrameSize(width: 640, height: 480), interval: FrameInterval(rate: rate),
      planes: [])
  }

  /// The stream before ended with frame 2, and the first frames of this one were not measured.
  @Test func anotherFormatIsThatOfAnotherStreamWhateverTheFramesNumber() {
    var loop = SoftwareLoop()
    _ = loop.observe(Self.frame(2), of: Self.format(10), takenWith: nil)
    #expect(loop.judged == 1 && loop.actuators.interval == 0.1)
    _ = loop.observe(Self.frame(3), of: Self.format(10), takenWith: nil)
    #expect(loop.judged == 2)
    _ = loop.observe(Self.frame(5), of: Self.format(25), takenWith: nil)
    #expect(loop.judged == 1 && loop.actuators.interval == 0.04)
  }
}
