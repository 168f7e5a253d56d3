import CaptureModel
import CaptureSystem

@testable import CaptureImaging

/// Colours by floating point from ITU-R BT.601, BT.709, BT.2020 and SMPTE 240M, apart from the library's arithmetic.
struct ColorReference {
  var matrix: ColorMatrix
  var isFullRange: Bool

  static let matrices: [ColorMatrix] = [.rec601, .rec709, .rec2020, .smpte240M]

  private var weights: (red: Double, blue: Double) {
    switch matrix {
    case .rec709: (0.2126, 0.0722)
    case .rec2020, .rec2020ConstantLuminance: (0.2627, 0.0593)
    case .smpte240M: (0.212, 0.087)
    case .rec601, .identity: (0.299, 0.114)
    }
  }

  /// Red, green and blue, 0…255.
  func rgb(_ y: Double, _ u: Double, _ v: Double) -> [Double] {
    let (kr, kb) = weights
    let luma = isFullRange ? y : (y - 16) * 255 / 219
    let scale = isFullRange ? 1 : 255.0 / 224
    let (red, blue) = (luma + (2 - 2 * kr) * (v - 128) * scale, luma + (2 - 2 * kb) * (u - 128) * scale)
    let green = (luma - kr * red - kb * blue) / (1 - kr - kb)
    return [red, green, blue].map { min(max($0, 0), 255) }
  }

  /// Y, Cb and Cr, as samples.
  func ycbcr(_ rgb: [Double]) -> [Double] {
    let (kr, kb) = weights
    let y = kr * rgb[0] + (1 - kr - kb) * rgb[1] + kb * rgb[2]
    let (u, v) = ((rgb[2] - y) / (2 - 2 * kb), (rgb[0] - y) / (2 - 2 * kr))
    return isFullRange
      ? [y, u + 128, v + 128] : [y * 219 / 255 + 16, u * 224 / 255 + 128, v * 224 / 255 + 128]
  }
}

/// A converted picture, read as its description tells.
struct ConvertedPicture {
  var target: PixelTarget
  var size: FrameSize
  var components: [Component]
  var color: ColorDescription
  var isOpaque = true

  init(_ picture: RawPicture, _ target: PixelTarget, _ size: FrameSize) {
    let layout = ComponentLayout("\(target.pixelFormat)")
    (self.target, self.size, color) = (target, size, picture.color ?? ColorDescription(space: .unknown))
    components = layout.components(picture.payload, stride: picture.planes[0].stride, size)
    if target == .bgra {
      let bytes = picture.payload.bytes
      isOpaque = stride(from: 3, to: bytes.count, by: 4).allSatisfy { bytes[$0] == 255 }
    }
  }

  /// Red, green and blue, or the luma of a grey picture, 0…255.
  func color(_ x: Int, _ y: Int) -> [Double] {
    if target.isRGB { return components.map { Double($0[x, y]) } }
    let reference = ColorReference(matrix: color.matrix, isFullRange: color.isFullRange)
    let luma = Double(components[0][x, y])
    if target == .grey { return [reference.rgb(luma, 128, 128)[0]] }
    return reference.rgb(luma, Double(components[1][x / 2, y / 2]), Double(components[2][x / 2, y / 2]))
  }

  /// The largest difference between the middle of each bar and what it should be.
  func worstBar() -> Double {
    var worst = 0.0
    for bar in 0..<8 {
      for y in [size.height / 3, size.height - 1] {
        let found = color((2 * bar + 1) * size.width / 16, y)
        let rgb = ColorBars.colors[bar]
        let wanted =
          found.count == 3
          ? rgb : [ColorReference(matrix: color.matrix, isFullRange: true).ycbcr(rgb)[0]]
        for (a, b) in zip(found, wanted) { worst = max(worst, abs(a - b)) }
      }
    }
    return worst
  }
}
