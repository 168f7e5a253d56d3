import CaptureImaging
import CaptureModel
import CaptureSystem
import Testing

/// DNGs of sensors' samples. What other programs read of them is tested in Tests/Interop.
@Suite struct DNGFileTests {
  private let pool = PayloadPool(keep: 1)

  private func frame(_ code: String, _ size: FrameSize, stride: Int, _ bytes: [UInt8]) throws -> Frame {
    Frame(
      payload: Payload(copying: bytes),
      format: StreamFormat(
        pixelFormat: try #require(PixelFormat(code)), size: size, interval: nil,
        planes: [PlaneLayout(stride: stride, bytes: bytes.count)],
        color: ColorDescription(matrix: .identity, isFullRange: true)),
      sequence: 0, timestamp: FrameTimestamp(nanoseconds: 0, clock: .unknown, source: .endOfFrame))
  }

  private func dng(_ frame: Frame, _ sensor: SensorCalibration = SensorCalibration()) throws -> [UInt8] {
    try DNGFile.write(
      frame, of: PictureDescription(frame), metadata: nil, model: "Sensor", sensor: sensor, software: "test",
      into: pool
    ).bytes
  }

  @Test func theSamplesFollowWithoutThePaddingOfRows() throws {
    let size = FrameSize(width: 2, height: 2)
    let file = try dng(frame("RGGB", size, stride: 4, [1, 2, 0, 0, 3, 4, 0, 0]))
    #expect(file.prefix(4) == [0x4D, 0x4D, 0, 42] && file.suffix(4) == [1, 2, 3, 4])
  }

  @Test func deepSamplesAre16BitsInTheOrderOfTheFile() throws {
    let size = FrameSize(width: 2, height: 2)
    let file = try dng(frame("BG10", size, stride: 4, [0xFF, 3, 1, 0, 2, 0, 3, 0]))
    #expect(file.suffix(8) == [3, 0xFF, 0, 1, 0, 2, 0, 3])
  }

  @Test func aShortFrameIsNoDNG() throws {
    let short = try frame("RG10", FrameSize(width: 2, height: 2), stride: 4, [0, 0, 0, 0, 0, 0, 0])
    let error = #expect(throws: CaptureError.self) { try dng(short) }
    #expect(error?.code == .dataLoss)
    let yuyv = try frame("YUYV", FrameSize(width: 2, height: 2), stride: 4, Array(repeating: 0, count: 8))
    #expect(throws: CaptureError.self) { try dng(yuyv) }
  }
}
