import CaptureModel
import CaptureSystem
import Foundation
import Testing

@testable import CaptureImaging

struct FrameMeterTests {
  static let formats = JPEGEncoderTests.yuv + ["RGB3", "BGR3", "XR24", "BX24", "XB24", "RX24"]
  let meter = FrameMeter(grid: ZoneGrid(columns: 8, rows: 4))

  @Test(arguments: formats, [false, true])
  func zonesHaveTheirColors(code: String, isFullRange: Bool) throws {
    let bars = ColorBars(size: FrameSize(width: 320, height: 48), isFullRange: isFullRange, rowPadding: 32)
    let statistics = try meter.measure(bars.frame(code))
    #expect(statistics.zones.count == 32)
    for column in 0..<8 {
      let (zone, rgb) = (statistics[column, 2], ColorBars.colors[column].map { $0 / 255 })
      let luma = 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2]
      #expect(abs(zone.luma - luma) < 0.01, "\(column): \(zone)")
      #expect(abs(zone.luminance - light(luma)) < 0.02, "\(column): \(zone)")
      #expect(zone.usable == 1 && zone.white == 0 && zone.black == 0, "\(column): \(zone)")
      let wanted = (code == "GREY" ? [luma, luma, luma] : rgb).map(light)
      let color = zone.color
      for (a, b) in zip([color.red, color.green, color.blue], wanted) {
        #expect(abs(a - b) < 0.02, "\(column): \(zone)")
      }
    }
  }

  @Test func blackAndWhiteAreNotUsable() throws {
    let frame = greyFrame(FrameSize(width: 64, height: 48)) { x, y in
      if y < 24 { return x < 32 ? 0 : 255 }
      return 128
    }
    let statistics = try meter.measure(frame)
    #expect(statistics[0, 0].black == 1 && statistics[0, 0].usable == 0)
    #expect(statistics[7, 0].white == 1 && statistics[7, 0].usable == 0 && statistics[7, 0].luma > 0.99)
    #expect(statistics[3, 3].usable == 1)
    #expect(statistics[0, 0].color == LinearColor(red: 0, green: 0, blue: 0))
  }

  /// A ramp rises by the same everywhere, so its gradient is known.
  @Test func contrastIsTheMeanSquareOfTheGradient() throws {
    let frame = greyFrame(FrameSize(width: 80, height: 48)) { x, y in UInt8(x * 2 + y) }
    for zone in try meter.measure(frame).zones { #expect(abs(zone.contrast - 5) < 1e-9) }
  }

  @Test(arguments: ["GREY", "YUYV", "NV12", "RGB3"])
  func blurLowersContrastInItsZonesAlone(code: String) throws {
    let size = FrameSize(width: 160, height: 96)
    func checks(blurred: Bool) -> (Int, Int) -> UInt8 {
      { x, y in
        let bright = (x / 4 + y / 4) % 2 == 0
        return x < 80 && blurred ? (bright ? 140 : 110) : (bright ? 200 : 60)
      }
    }
    let sharp = try meter.measure(frame(code, size, checks(blurred: false)))
    let blurred = try meter.measure(frame(code, size, checks(blurred: true)))
    #expect(blurred[1, 1].contrast < sharp[1, 1].contrast / 10)
    #expect(blurred[6, 1].contrast == sharp[6, 1].contrast)
  }

  /// One edge in each zone, wherever it lies: between two rows that are read it could not be seen while it is sharp.
  @Test(arguments: [240, 480, 720, 1080], ["GREY", "YUYV", "RGB3"])
  func noEdgeLiesBetweenTheRowsThatAreRead(height: Int, code: String) throws {
    let zone = height / 4
    for place in zone / 2..<zone / 2 + 7 {
      /// Brighter in every second zone, darker in the others, within so many rows.
      func edge(within rows: Int) throws -> Double {
        let picture = frame(code, FrameSize(width: 80, height: height)) { _, y in
          let rise = min(max(140 * (y % zone - place + rows - 1) / rows, 0), 140)
          return UInt8(y / zone % 2 == 0 ? 60 + rise : 200 - rise)
        }
        return try meter.measure(picture)[4, 1].contrast
      }
      let (sharp, soft, softer) = (try edge(within: 1), try edge(within: 3), try edge(within: 6))
      #expect(sharp > soft && soft > 1.5 * softer, "\(place): \(sharp), \(soft), \(softer)")
    }
  }

  /// Stripes, as of a blind, are seen as bright as they are, whatever their distance.
  @Test(arguments: 3...24) func stripesAreAsBrightAsTheyAre(period: Int) throws {
    for height in [480, 720, 1080] {
      let statistics = try meter.measure(
        greyFrame(FrameSize(width: 80, height: height)) { _, y in y % period < period / 2 ? 60 : 200 })
      let dark = Double(period / 2) / Double(period)
      let luma = (60 * dark + 200 * (1 - dark)) / 255
      #expect(abs(statistics.mean.luma - luma) < 0.08, "\(height) rows: \(statistics.mean.luma), not \(luma)")
    }
  }

  @Test func jpegIsMeasuredSmall() throws {
    let bars = ColorBars(size: FrameSize(width: 1280, height: 96))
    let jpeg = try JPEGEncoder().encode(bars.frame("YUYV"), quality: 90, into: PayloadPool())
    let statistics = try meter.measure(jpegFrame(jpeg, bars.size))
    for column in 0..<8 {
      let (color, rgb) = (statistics[column, 1].color, ColorBars.colors[column].map { light($0 / 255) })
      // Where two bars meet, a reduced picture mixes them.
      for (a, b) in zip([color.red, color.green, color.blue], rgb) { #expect(abs(a - b) < 0.05) }
    }
  }

  @Test func frameKeepsItsNumberAndTime() throws {
    let bars = ColorBars(size: FrameSize(width: 320, height: 48)).frame("YUYV")
    let frame = Frame(
      payload: bars.payload, format: bars.format, sequence: 42,
      timestamp: FrameTimestamp(nanoseconds: 7, clock: .monotonic, source: .startOfExposure))
    let statistics = try meter.measure(frame)
    #expect(statistics.sequence == 42 && statistics.timestamp == frame.timestamp)
  }

  @Test func brokenFramesAreRefusedAndTheNextOneMeasured() throws {
    let bars = ColorBars(size: FrameSize(width: 320, height: 48))
    for code in Self.formats where !code.contains("M") {
      let whole = bars.frame(code)
      let short = Frame(
        payload: Payload(copying: whole.payload.bytes.dropLast()), format: whole.format, sequence: 0,
        timestamp: whole.timestamp)
      let error = #expect(throws: CaptureError.self) { try meter.measure(short) }
      #expect(error?.code == .dataLoss, "\(code)")
    }
    let jpeg = try JPEGEncoder().encode(bars.frame("YUYV"), into: PayloadPool())
    var bytes = jpeg.bytes
    for index in bytes.count / 2..<bytes.count - 40 { bytes[index] = 0xFF }
    let error = #expect(throws: CaptureError.self) {
      try meter.measure(jpegFrame(Payload(copying: bytes), bars.size))
    }
    #expect(error?.code == .dataLoss)
    #expect(throws: Never.self) { try meter.measure(jpegFrame(jpeg, bars.size)) }
  }

  @Test func whatCannotBeMeasuredIsRefused() throws {
    #expect(FrameMeter.canMeasure(.yuyv) && FrameMeter.canMeasure(.mjpeg) && !FrameMeter.canMeasure(.rggb8))
    let bars = ColorBars(size: FrameSize(width: 320, height: 48))
    for frame in [bars.frame("RGGB"), ColorBars(size: FrameSize(width: 14, height: 48)).frame("YUYV")] {
      let error = #expect(throws: CaptureError.self) { try meter.measure(frame) }
      #expect(error?.code == .unimplemented)
    }
  }

  private func greyFrame(_ size: FrameSize, _ value: (Int, Int) -> UInt8) -> Frame {
    frame("GREY", size, value)
  }

  /// Full range, without colour.
  private func frame(_ code: String, _ size: FrameSize, _ value: (Int, Int) -> UInt8) -> Frame {
    let pixels = (0..<size.area).map { value($0 % size.width, $0 / size.width) }
    let (bytes, stride): ([UInt8], Int) =
      switch code {
      case "YUYV": (pixels.flatMap { [$0, 128] }, size.width * 2)
      case "NV12": (pixels + [UInt8](repeating: 128, count: size.area / 2), size.width)
      case "RGB3": (pixels.flatMap { [$0, $0, $0] }, size.width * 3)
      default: (pixels, size.width)
      }
    let format = StreamFormat(
      pixelFormat: PixelFormat(code)!, size: size, interval: nil,
      planes: [PlaneLayout(stride: stride, bytes: bytes.count)], color: ColorDescription(isFullRange: true))
    return Frame(
      payload: Payload(copying: bytes), format: format, sequence: 0,
      timestamp: FrameTimestamp(nanoseconds: 0, clock: .monotonic, source: .endOfFrame))
  }
}

/// sRGB's curve, as its standard has it.
private func light(_ value: Double) -> Double {
  value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
}
