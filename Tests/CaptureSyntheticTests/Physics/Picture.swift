import CaptureModel

@testable import CaptureSynthetic

/// A YUYV picture as numbers.
struct Picture {
  let size: FrameSize
  private let bytes: [UInt8]

  init(_ frame: Frame) {
    size = frame.format.size
    bytes = frame.payload.bytes
  }

  func luma(_ x: Int, _ y: Int) -> Int { Int(bytes[(y * size.width + x) * 2]) }

  /// BT.601's inverse, 0…1.
  private func color(_ x: Int, _ y: Int) -> (red: Double, green: Double, blue: Double) {
    let pair = (y * size.width + x & ~1) * 2
    let luma = Double(luma(x, y) - 16) / 219
    let u = Double(Int(bytes[pair + 1]) - 128) / 224
    let v = Double(Int(bytes[pair + 3]) - 128) / 224
    return (luma + 1.402 * v, luma - 0.344136 * u - 0.714136 * v, luma + 1.772 * u)
  }

  /// The pixels of an area, without its outermost tenths.
  private func pixels(_ area: PhysicsArea) -> [(x: Int, y: Int)] {
    let (width, height) = (Double(size.width), Double(size.height))
    let columns = Int((area.x + 0.1 * area.width) * width)..<Int((area.x + 0.9 * area.width) * width)
    let rows = Int((area.y + 0.1 * area.height) * height)..<Int((area.y + 0.9 * area.height) * height)
    return rows.flatMap { y in columns.map { ($0, y) } }
  }

  /// The mean signal: sRGB's curve undone.
  func signal(_ area: PhysicsArea) -> SensorColor {
    let pixels = pixels(area)
    var sum = SensorColor.black
    for (x, y) in pixels {
      let color = color(x, y)
      sum =
        sum
        + SensorColor(
          red: SensorModel.decoded(max(0, min(1, color.red))),
          green: SensorModel.decoded(max(0, min(1, color.green))),
          blue: SensorModel.decoded(max(0, min(1, color.blue))))
    }
    return sum * (1 / Double(pixels.count))
  }

  /// Mean squared difference of neighbours: the sharper, the more.
  func contrast(_ area: PhysicsArea) -> Double {
    let pixels = pixels(area)
    let sum = pixels.reduce(0.0) { sum, pixel in
      let across = Double(luma(pixel.x + 1, pixel.y) - luma(pixel.x, pixel.y))
      let down = Double(luma(pixel.x, pixel.y + 1) - luma(pixel.x, pixel.y))
      return sum + across * across + down * down
    }
    return sum / Double(pixels.count)
  }
}
