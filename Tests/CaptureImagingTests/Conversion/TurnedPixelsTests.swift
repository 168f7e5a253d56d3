import CTurboJPEG
import CaptureModel
import CaptureSystem
import Testing

@testable import CaptureImaging

struct TurnedPixelsTests {
  let converter = PixelConverter()
  let pool = PayloadPool()

  private func convert(
    _ frame: Frame, _ target: PixelTarget, _ size: FrameSize, _ transform: PictureTransform
  )
    throws -> ConvertedPicture
  {
    let settings = PixelSettings(target: target, size: size, transform: transform)
    return ConvertedPicture(try converter.convert(frame, as: settings, into: pool), target, size)
  }

  /// A picture that is turned has the pixels of one that is not, at other places. Chroma of 4:2:0 may be rounded once more.
  @Test(arguments: ["YUYV", "UYVY", "NV12", "422P", "NV24", "GREY", "RGB3", "BX24"], PixelTarget.allCases)
  func everyPixelGoesWhereItBelongs(code: String, target: PixelTarget) throws {
    let size = FrameSize(width: 152, height: 86)
    let frame = ComponentLayout(code).frame(code, size, padding: 24, noise)
    let plain = try convert(frame, target, size, .identity)
    for transform in everyTurn {
      for crop in [NormalizedRect.full, try NormalizedRect(x: 0.1, y: 0.3, width: 0.55, height: 0.5)] {
        var transform = transform
        transform.crop = crop
        let area = transform.area(in: size)
        let found = try convert(frame, target, transform.size(of: size), transform)
        for (index, component) in found.components.enumerated() {
          let shift = index > 0 && !target.isRGB ? 1 : 0
          let wanted = plain.components[index].cropped(
            x: area.x >> shift, y: area.y >> shift, width: area.width >> shift, height: area.height >> shift
          ).turned(transform)
          #expect(component.difference(wanted) <= (shift == 1 ? 1 : 0), "\(index) \(transform)")
        }
      }
    }
  }

  /// A part whose edges lie on odd pixels is rounded to even ones, so that its chroma is not shifted.
  @Test(arguments: ["YUYV", "NV12", "YU12", "RGB3"], [PixelTarget.nv12, .i420])
  func oddEdgesAreRoundedToEvenOnes(code: String, target: PixelTarget) throws {
    let size = FrameSize(width: 152, height: 86)
    let frame = ComponentLayout(code).frame(code, size, padding: 24, noise)
    let plain = try convert(frame, target, size, .identity)
    for (x, y, width, height) in [(31, 21, 53, 39), (1, 1, 5, 3), (147, 83, 5, 3), (0, 43, 75, 43)] {
      let crop = try NormalizedRect(
        x: Double(x) / 152, y: Double(y) / 86, width: Double(width) / 152, height: Double(height) / 86)
      let transform = PictureTransform(crop: crop)
      let area = transform.area(in: size)
      #expect(abs(area.x - x) <= 1 && abs(area.y - y) <= 1, "\(area)")
      #expect(abs(area.width - width) <= 2 && abs(area.height - height) <= 2, "\(area)")
      for side in [area.x, area.y, area.width, area.height] { #expect(side % 2 == 0, "\(area)") }
      let found = try convert(frame, target, area.size, transform)
      for (index, component) in found.components.enumerated() {
        let shift = index > 0 ? 1 : 0
        let wanted = plain.components[index].cropped(
          x: area.x >> shift, y: area.y >> shift, width: area.width >> shift, height: area.height >> shift)
        #expect(component.difference(wanted) <= shift, "\(index) \(area)")
      }
    }
  }

  /// A zoom has the size of the whole picture.
  @Test(arguments: ["YUYV", "NV12", "RGB3"], PixelTarget.allCases)
  func zoomIsScaledToTheSizeItHad(code: String, target: PixelTarget) throws {
    let size = FrameSize(width: 160, height: 120)
    // Brighter to the right and, less so, to the bottom, without colour.
    let isRGB = code == "RGB3"
    let frame = ComponentLayout(code).frame(code, size, padding: 0) { index, x, y in
      index == 0 || isRGB ? UInt8(20 + x + y / 4) : 128
    }
    for orientation in Orientation.allCases {
      let transform = try PictureTransform(cropFactor: 2, orientation: orientation)
      let delivered = transform.deliveredSize(of: size)
      let found = try convert(frame, target, delivered, transform)
      let device = transform.devicePoint(forPicturePoint: try NormalizedPoint(x: 0.25, y: 0.75))
      let value = found.color(delivered.width / 4, delivered.height * 3 / 4)[0]
      #expect(abs(value - (20 + device.x * 160 + device.y * 30)) < 4, "\(orientation)")
    }
  }

  /// Its chroma is a quarter as wide as its luma, which none of the layouts is.
  @Test(arguments: PixelTarget.allCases)
  func jpegOf411IsCutWhereItShouldBe(target: PixelTarget) throws {
    let size = FrameSize(width: 320, height: 48)
    let rgb = try converter.convert(
      ColorBars(size: size).frame("YUYV"), as: PixelSettings(target: .rgb24, size: size), into: pool
    ).payload.bytes
    let handle = tjInitCompress()
    defer { tjDestroy(handle) }
    var jpeg: UnsafeMutablePointer<UInt8>?
    var count: UInt = 0
    let flags = Int32(TJSAMP_411.rawValue)
    try #require(
      tjCompress2(handle, rgb, 320, 0, 48, Int32(TJPF_RGB.rawValue), &jpeg, &count, flags, 95, 0) == 0)
    defer { tjFree(jpeg) }
    let frame = jpegFrame(
      Payload(copying: Array(UnsafeBufferPointer(start: jpeg, count: Int(count)))), size)
    let transform = PictureTransform(crop: try NormalizedRect(x: 0.5, y: 0, width: 0.5, height: 1))
    let found = try convert(frame, target, transform.size(of: size), transform)
    guard target != .grey else { return }
    for (bar, x) in [(4, 20), (5, 60), (6, 100), (7, 140)] {
      for (a, b) in zip(found.color(x, 20), ColorBars.colors[bar]) { #expect(abs(a - b) <= 8, "\(bar)") }
    }
  }
}
