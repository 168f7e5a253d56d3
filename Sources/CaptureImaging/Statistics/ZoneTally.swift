import CPixelKernels
import CaptureModel

/// The sums of a frame's zones so far.
struct ZoneTally {
  let grid: ZoneGrid
  private var sums: [pixel_sums]
  /// The sums of the squares of gradients.
  private var gradients: [UInt64]
  /// How many samples each of `sums` consists of.
  private var colorCounts: [Double]
  /// How many samples each of `gradients` consists of.
  private var gradientCounts: [Double]

  init(grid: ZoneGrid) {
    self.grid = grid
    sums = Array(repeating: pixel_sums(), count: grid.count)
    gradients = Array(repeating: 0, count: grid.count)
    colorCounts = Array(repeating: 0, count: grid.count)
    gradientCounts = Array(repeating: 0, count: grid.count)
  }

  /// Adds row `y` of a picture with `height` rows. `sum` sums up the row's `count` colour samples.
  mutating func addColors(
    _ y: Int, of height: Int, count: Int,
    _ sum: (_ zones: UnsafeMutablePointer<pixel_sums>, _ columns: Int) -> Void
  ) {
    let first = first(y, of: height)
    sums.withUnsafeMutableBufferPointer { sum($0.baseAddress! + first, grid.columns) }
    for column in 0..<grid.columns {
      colorCounts[first + column] += Double(
        (column + 1) * count / grid.columns - column * count / grid.columns)
    }
  }

  /// Adds row `y` of a picture of `size`. `sum` sums up the slopes of the row's luma.
  mutating func addGradient(
    _ y: Int, of size: FrameSize,
    _ sum: (_ zones: UnsafeMutablePointer<UInt64>, _ columns: Int) -> Void
  ) {
    let first = first(y, of: size.height)
    gradients.withUnsafeMutableBufferPointer { sum($0.baseAddress! + first, grid.columns) }
    for column in 0..<grid.columns {
      let (left, right) = (column * size.width / grid.columns, (column + 1) * size.width / grid.columns)
      gradientCounts[first + column] += Double(min(right, size.width - 1) - max(left, 1))
    }
  }

  /// The leftmost zone of row `y`.
  private func first(_ y: Int, of height: Int) -> Int { y * grid.rows / height * grid.columns }

  /// `gradientScale`: how many steps of full-range luma one step of the luma samples is: 1, or 255 / 219 for a limited range.
  func zones(gradientScale: Double) -> [Zone] {
    let scale = gradientScale * gradientScale / 64
    return grid.indices.map { index in
      let (sum, count) = (sums[index], max(colorCounts[index], 1))
      let usable = max(sum.usable, 1)
      return Zone(
        luma: min(max(sum.luma / count, 0), 1), luminance: min(sum.luminance / count, 1),
        color: LinearColor(red: sum.red / usable, green: sum.green / usable, blue: sum.blue / usable),
        usable: sum.usable / count, black: sum.black / count, white: sum.white / count,
        contrast: Double(gradients[index]) * scale / max(gradientCounts[index], 1))
    }
  }
}

extension ZoneGrid {
  fileprivate var indices: Range<Int> { 0..<count }
}
