import CaptureModel
import CaptureSystem
import Testing

@testable import CaptureImaging

/// Every sample of a converted picture against floating point. RGB may be off by 3 of 255: libyuv's factors have 6 and 7 bits.
struct PixelConverterTests {
  static let ycbcr = [
    "YUYV", "YVYU", "UYVY", "VYUY", "NV12", "NV21", "NV16", "NV24", "YU12", "YV12", "422P", "GREY",
  ]
  static let rgb = ["RGB3", "BGR3", "XR24", "BX24", "XB24", "RX24"]
  let converter = PixelConverter()
  let pool = PayloadPool()

  private func convert(_ frame: Frame, _ target: PixelTarget) throws -> ConvertedPicture {
    let size = frame.format.size
    let picture = try converter.convert(frame, as: PixelSettings(target: target, size: size), into: pool)
    #expect(picture.payload.count == picture.planes[0].bytes && picture.planes.count == 1)
    let bytes = [PixelTarget.bgra: 4, .rgb24: 3][target] ?? 1
    #expect(picture.planes[0].stride == size.width * bytes)
    return ConvertedPicture(picture, target, size)
  }

  /// The components of a frame, one for each pixel.
  private func samples(_ frame: Frame, _ layout: ComponentLayout, _ x: Int, _ y: Int, _ parts: [Component])
    -> [Double]
  {
    guard parts.count == 3 else { return [Double(parts[0][x, y]), 128, 128] }
    let (column, row) = (x >> layout.shift.x, y >> layout.shift.y)
    return [parts[0][x, y], parts[1][column, row], parts[2][column, row]].map(Double.init)
  }

  private func check(_ frame: Frame, _ code: String, _ target: PixelTarget) throws {
    let (layout, format) = (ComponentLayout(code), frame.format)
    let parts = layout.components(frame.payload, stride: format.planes[0].stride, format.size)
    let reference = ColorReference(matrix: format.matrix, isFullRange: format.isFullRange)
    let picture = try convert(frame, target)
    #expect(picture.isOpaque)
    let color = ColorDescription(
      space: format.color.space, transfer: format.color.transfer, matrix: .identity, isFullRange: true)
    #expect(picture.color == color)
    var worst = 0.0
    for y in 0..<format.size.height {
      for x in 0..<format.size.width {
        let raw = samples(frame, layout, x, y, parts)
        for (found, wanted) in zip(picture.color(x, y), reference.rgb(raw[0], raw[1], raw[2])) {
          worst = max(worst, abs(found - wanted))
        }
      }
    }
    #expect(worst < 3.5, "\(code) to \(target): \(worst)")
  }

  /// Any samples, also of colours that there are not.
  @Test(arguments: ycbcr, [PixelTarget.bgra, .rgb24])
  func anySampleOfRec601BecomesItsColour(code: String, target: PixelTarget) throws {
    for isFullRange in [false, true] {
      for (width, height, padding) in [(66, 34, 0), (64, 32, 32), (67, 35, 1), (2, 2, 0), (16, 16, 0)] {
        let color = ColorDescription(isFullRange: isFullRange)
        let frame = ComponentLayout(code).frame(
          code, FrameSize(width: width, height: height), padding: padding, color: color, noise)
        try check(frame, code, target)
      }
    }
  }

  /// Colours that there are, in every matrix.
  @Test(arguments: ycbcr, ColorReference.matrices)
  func everyMatrixAndRangeIsUnderstood(code: String, matrix: ColorMatrix) throws {
    let size = FrameSize(width: 66, height: 34)
    for isFullRange in [false, true] {
      let reference = ColorReference(matrix: matrix, isFullRange: isFullRange)
      let layout = ComponentLayout(code)
      let color = ColorDescription(
        space: .rec709, transfer: .rec709, matrix: matrix, isFullRange: isFullRange)
      let frame = layout.frame(code, size, padding: 0, color: color) { index, x, y in
        let (column, row) =
          index == 0 ? (x / 2, y / 2) : (x << layout.shift.x / 2, (y << layout.shift.y) / 2)
        let rgb = (0..<3).map { Double(noise($0, index == 0 ? column : (x << layout.shift.x) / 2, row)) }
        return UInt8(reference.ycbcr(rgb)[index].rounded())
      }
      for target in [PixelTarget.bgra, .rgb24] { try check(frame, code, target) }
    }
  }

  @Test(arguments: ycbcr, [PixelTarget.nv12, .i420, .grey])
  func ycbcrKeepsItsSamplesMatrixAndRange(code: String, target: PixelTarget) throws {
    // libyuv's loops have a way of their own for each number of columns that is left.
    for width in [4, 32, 46, 64, 70, 90] { try ycbcrKeepsItsSamples(code, target, width: width) }
  }

  private func ycbcrKeepsItsSamples(_ code: String, _ target: PixelTarget, width: Int) throws {
    let (layout, size) = (ComponentLayout(code), FrameSize(width: width, height: 18))
    let color = ColorDescription(space: .rec709, transfer: .rec709, matrix: .rec709)
    let frame = layout.frame(code, size, padding: 8, color: color, noise)
    let picture = try convert(frame, target)
    #expect(picture.color == color)
    let parts = layout.components(frame.payload, stride: frame.format.planes[0].stride, size)
    #expect(picture.components[0] == parts[0])
    for (index, component) in picture.components.enumerated().dropFirst() {
      for y in 0..<component.height {
        for x in 0..<component.width {
          var sum = 0.0
          for place in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            sum += samples(frame, layout, 2 * x + place.0, 2 * y + place.1, parts)[index]
          }
          let found = Double(component[x, y])
          if abs(found - sum / 4) > 1 { Issue.record("component \(index) at \(x), \(y): \(found)") }
        }
      }
    }
  }

  @Test(arguments: rgb, [false, true])
  func rgbIsReorderedAndWidened(code: String, isFullRange: Bool) throws {
    let (layout, size) = (ComponentLayout(code), FrameSize(width: 67, height: 35))
    let color = ColorDescription(matrix: .identity, isFullRange: isFullRange)
    let frame = layout.frame(code, size, padding: 5, color: color, noise)
    let parts = layout.components(frame.payload, stride: frame.format.planes[0].stride, size)
    for target in [PixelTarget.bgra, .rgb24] {
      let picture = try convert(frame, target)
      #expect(picture.isOpaque)
      for (found, source) in zip(picture.components, parts) {
        let wanted = Component(width: size.width, height: size.height) { x, y in
          let value = Double(source[x, y])
          return UInt8(isFullRange ? value : min(max((value - 16) * 255 / 219, 0), 255).rounded())
        }
        #expect(found.difference(wanted) <= (isFullRange ? 0 : 1), "\(target)")
      }
    }
  }

  /// libyuv's factors have 7 and 8 bits, and it rounds the mean of four pixels twice.
  @Test(arguments: rgb, [PixelTarget.nv12, .i420, .grey])
  func rgbBecomesJFIFsSamples(code: String, target: PixelTarget) throws {
    let (layout, size) = (ComponentLayout(code), FrameSize(width: 66, height: 34))
    let color = ColorDescription(space: .rec709, matrix: .identity, isFullRange: true)
    let frame = layout.frame(code, size, padding: 6, color: color, noise)
    let parts = layout.components(frame.payload, stride: frame.format.planes[0].stride, size)
    let picture = try convert(frame, target)
    #expect(picture.color == ColorDescription(space: .rec709, matrix: .rec601, isFullRange: true))
    let reference = ColorReference(matrix: .rec601, isFullRange: true)
    for (index, component) in picture.components.enumerated() {
      let side = index == 0 ? 1 : 2
      var worst = 0.0
      for y in 0..<component.height {
        for x in 0..<component.width {
          var sum = 0.0
          for place in 0..<side * side {
            let (column, row) = (x * side + place % side, y * side + place / side)
            sum += reference.ycbcr(parts.map { Double($0[column, row]) })[index]
          }
          worst = max(worst, abs(Double(component[x, y]) - sum / Double(side * side)))
        }
      }
      #expect(worst < 3, "component \(index): \(worst)")
    }
  }
}
