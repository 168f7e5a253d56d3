import CaptureModel
import CaptureSystem
import Testing

@testable import CaptureImaging

struct FrameTurnerTests {
  static let formats = [
    "YUYV", "YVYU", "UYVY", "VYUY", "NV12", "NV21", "NV16", "NV24", "YU12", "YV12", "422P", "GREY", "RGB3",
    "BGR3", "XR24",
  ]
  let turner = FrameTurner()
  let pool = PayloadPool()

  /// What a transform must make of component `index`, exactly.
  private func wanted(
    _ source: Component, _ index: Int, _ transform: PictureTransform, _ area: PixelArea,
    _ shift: (x: Int, y: Int)
  ) -> Component {
    let (x, y) = index == 0 ? (0, 0) : shift
    let turned = source.cropped(
      x: area.x >> x, y: area.y >> y, width: area.width >> x, height: area.height >> y
    ).turned(transform)
    guard transform.orientation.swapsSides, x != y else { return turned }
    // Chroma of 4:2:2: the mean of two columns, for two rows.
    return Component(width: turned.width / 2, height: turned.height * 2) { column, row in
      UInt8((Int(turned[column * 2, row / 2]) + Int(turned[column * 2 + 1, row / 2]) + 1) / 2)
    }
  }

  @Test(arguments: formats, everyTurn)
  func everyPixelGoesWhereItBelongs(code: String, transform: PictureTransform) throws {
    let (layout, size) = (ComponentLayout(code), FrameSize(width: 152, height: 86))
    let crops: [NormalizedRect] = [.full, try NormalizedRect(x: 0.1, y: 0.3, width: 0.55, height: 0.5)]
    for crop in crops {
      var transform = transform
      transform.crop = crop
      let frame = layout.frame(code, size, padding: 24, noise)
      let area = transform.area(in: size)
      let settings = RawSettings(size: transform.size(of: size), transform: transform)
      let picture = try turner.turn(frame, as: settings, into: pool)
      #expect(picture.planes.count == 1 && picture.planes[0].bytes == picture.payload.count)
      let found = layout.components(picture.payload, stride: picture.planes[0].stride, settings.size)
      let source = layout.components(frame.payload, stride: frame.format.planes[0].stride, size)
      for (index, component) in source.enumerated() {
        let wanted = wanted(component, index, transform, area, layout.shift)
        #expect(found[index] == wanted, "component \(index), crop \(crop)")
      }
    }
  }

  @Test(arguments: formats, [Orientation.upright, .clockwise90, .upsideDown, .clockwise270])
  func zoomIsScaledToTheSizeItHad(code: String, orientation: Orientation) throws {
    let (layout, size) = (ComponentLayout(code), FrameSize(width: 160, height: 120))
    // Brighter to the right and, less so, to the bottom: what is in the middle stays there.
    let frame = layout.frame(code, size, padding: 0) { index, x, y in
      index == 0 || layout.shift == (0, 0) ? UInt8(20 + x + y / 4) : UInt8(90 + index)
    }
    let transform = try PictureTransform(cropFactor: 2, orientation: orientation)
    let settings = RawSettings(size: transform.deliveredSize(of: size), transform: transform)
    let picture = try turner.turn(frame, as: settings, into: pool)
    let found = layout.components(picture.payload, stride: picture.planes[0].stride, settings.size)
    let place = try NormalizedPoint(x: 0.25, y: 0.75)
    let device = transform.devicePoint(forPicturePoint: place)
    let value = found[0][settings.size.width / 4, settings.size.height * 3 / 4]
    #expect(abs(Double(value) - (20 + device.x * 160 + device.y * 30)) < 3)
    if found.count == 3, layout.shift != (0, 0) {
      for index in [1, 2] { #expect(found[index].samples.allSatisfy { $0 == UInt8(90 + index) }) }
    }
  }

  @Test func planesInBuffersOfTheirOwnAreToldOneByOne() throws {
    let bars = ColorBars(size: FrameSize(width: 320, height: 48))
    for (code, count) in [("NM12", 2), ("YM12", 3)] {
      let settings = RawSettings(
        size: FrameSize(width: 48, height: 320), transform: PictureTransform(orientation: .clockwise90))
      let picture = try turner.turn(bars.frame(code), as: settings, into: pool)
      #expect(picture.planes.count == count)
      #expect(picture.planes.reduce(0) { $0 + $1.bytes } == picture.payload.count)
    }
  }

  @Test(arguments: formats, [FrameSize(width: 35, height: 23), FrameSize(width: 34, height: 23)])
  func oddSizesComeBackWhole(code: String, size: FrameSize) throws {
    let layout = ComponentLayout(code)
    // One colour, since odd pictures have chroma samples that stand for half of themselves.
    let frame = layout.frame(code, size, padding: size.width & 1) { index, x, y in
      index == 0 ? noise(0, x, y) : UInt8(100 + index)
    }
    for transform in everyTurn {
      let turned = size.turned(transform.orientation)
      let picture = try turner.turn(
        frame, as: RawSettings(size: turned, transform: transform), into: pool)
      let found = layout.components(picture.payload, stride: picture.planes[0].stride, turned)
      let source = layout.components(frame.payload, stride: frame.format.planes[0].stride, size)
      #expect(found[0] == source[0].turned(transform), "\(transform)")
      for (index, component) in found.enumerated().dropFirst() {
        #expect(component.samples.allSatisfy { $0 == UInt8(100 + index) }, "\(index) \(transform)")
      }
    }
  }

  @Test func whatCannotBeTurnedIsRefused() throws {
    let bars = ColorBars(size: FrameSize(width: 320, height: 48))
    let turn = PictureTransform(orientation: .clockwise90)
    for code in ["RGGB", "RGBP"] {
      let error = #expect(throws: CaptureError.self) {
        try turner.turn(
          bars.frame(code), as: RawSettings(size: bars.size.turned(.clockwise90), transform: turn),
          into: pool)
      }
      #expect(error?.code == .unimplemented && !FrameTurner.canTurn(PixelFormat(code)!))
    }
    let error = #expect(throws: CaptureError.self) {
      try turner.turn(bars.frame("YUYV"), as: RawSettings(size: bars.size, transform: turn), into: pool)
    }
    #expect(error?.code == .invalidArgument && error?.message.contains("48x320") == true)
  }

  @Test func shortFrameIsRefused() throws {
    for code in Self.formats {
      let frame = ComponentLayout(code).frame(code, FrameSize(width: 64, height: 48), padding: 0, noise)
      let short = Frame(
        payload: Payload(copying: frame.payload.bytes.dropLast()), format: frame.format, sequence: 0,
        timestamp: frame.timestamp)
      let settings = RawSettings(
        size: FrameSize(width: 64, height: 48), transform: PictureTransform(isMirrored: true))
      let error = #expect(throws: CaptureError.self) { try turner.turn(short, as: settings, into: pool) }
      #expect(error?.code == .dataLoss, "\(code)")
    }
  }
}
