import CPhysicsKernels
import CaptureModel

/// Magnifies a picture about its middle, 1 to 2 times.
struct Magnifier {
  private let factor: Double
  private let height: Int
  private let index: [Int32]
  private let weight: [Float]

  /// `nil`: at this factor there is nothing to magnify.
  init?(size: FrameSize, factor: Double) {
    guard factor > 1 else { return nil }
    self.factor = factor
    height = size.height
    let places = (0..<size.width).map { Self.place($0, of: size.width, factor) }
    index = places.map { Int32($0.before) }
    weight = places.map(\.part)
  }

  /// The source row above the place that a row shows, and the share of the source row below it.
  func place(_ row: Int) -> (before: Int, part: Float) { Self.place(row, of: height, factor) }

  private static func place(_ pixel: Int, of count: Int, _ factor: Double) -> (before: Int, part: Float) {
    let middle = Double(count) / 2
    let place = (Double(pixel) + 0.5 - middle) / factor + middle - 0.5
    let before = min(max(Int(place.rounded(.down)), 0), count - 2)
    return (before, Float(min(max(place - Double(before), 0), 1)))
  }

  /// Magnifies a row: `upper` and `lower` are the source rows above and below its place, and `below` is the share of `lower`. Each row has `width`
  /// values of red, then of green, then of blue.
  func magnify(
    _ upper: UnsafePointer<Float>, _ lower: UnsafePointer<Float>, _ below: Float,
    to light: UnsafeMutablePointer<Float>, width: Int
  ) {
    for color in 0..<3 {
      let offset = color * width
      physics_magnify_row(upper + offset, lower + offset, below, index, weight, width, light + offset)
    }
  }
}
