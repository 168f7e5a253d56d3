import CaptureImaging
import CaptureModel
import Glibc

/// Paints the parts of the scene that do not move.
struct BackgroundPainter {
  private let bitmap: Bitmap
  private let width: Double
  private let height: Double

  init(_ bitmap: Bitmap) {
    self.bitmap = bitmap
    width = Double(bitmap.width)
    height = Double(bitmap.height)
  }

  /// The row at which the colour bars begin.
  private var ground: Int { bitmap.height - bitmap.height / 8 }

  /// Paints a gradient, and the sun with its glow.
  func paintSky() {
    let horizon = 0.66 * height
    let (sunX, sunY) = (Int(0.63 * width), Int(0.5 * height))
    let glow = Glow(radius: Int(0.42 * height), disc: Float(0.07 * height))
    for y in 0..<bitmap.height {
      let color = Palette.sky(min(Double(y) / horizon, 1)).pixel()
      let row = bitmap.pixels + y * bitmap.width
      row.update(repeating: color, count: bitmap.width)
      let dy = y - sunY
      guard abs(dy) < glow.radius else { continue }
      let reach = Int(Double(glow.radius * glow.radius - dy * dy).squareRoot())
      for x in max(0, sunX - reach)..<min(bitmap.width, sunX + reach) {
        row[x] = Self.blend(Palette.sun.pixel(), over: color, glow.part(x - sunX, dy))
      }
    }
  }

  /// Paints ridges, one behind the other, hazy towards their feet.
  func paintHills() {
    let tops = Palette.hills.indices.map(ridge)
    for (layer, color) in Palette.hills.enumerated() {
      let base = height * (0.6 + 0.075 * Double(layer))
      let haze = color.mixed(with: Palette.hills[max(layer - 1, 0)], 0.45)
      // Parts that the next hill covers from side to side need not be painted.
      let end = layer + 1 < tops.count ? min(ground, Int(tops[layer + 1].max()!) + 1) : ground
      paintHill(tops[layer], to: end) { y in
        haze.mixed(with: color, min(1, max(0, 1 - (Double(y) - base) / (0.22 * height)))).pixel()
      }
    }
  }

  /// The row of a hill's upper edge, for each column of the picture.
  private func ridge(_ layer: Int) -> [Double] {
    let depth = Double(layer)
    return (0..<bitmap.width).map { x in
      let at = Double(x) / height
      return height
        * (0.6 + 0.075 * depth + 0.045 * sin(at * (2.1 + depth) + depth * 2.3)
          + 0.022 * sin(at * (5.3 + 1.7 * depth) + depth)
          + 0.006 * sin(at * (17 + 5 * depth) + 3 * depth))
    }
  }

  /// Paints row by row, in the order of memory. A pixel on the edge gets as large a share of the hill's colour as the hill covers of the pixel.
  private func paintHill(_ ridge: [Double], to end: Int, _ shade: (Int) -> UInt32) {
    let tops = ridge.map { Int32($0) + 1 }
    for y in max(0, Int(tops.min()!))..<max(0, end) {
      let (row, color, line) = (bitmap.pixels + y * bitmap.width, shade(y), Int32(y))
      for x in tops.indices { row[x] = tops[x] <= line ? color : row[x] }
    }
    for (x, top) in tops.enumerated() where 0..<end ~= Int(top) - 1 {
      let y = Int(top) - 1
      bitmap[x, y] = Self.blend(shade(y), over: bitmap[x, y], UInt32((Double(top) - ridge[x]) * 256))
    }
  }

  /// Paints a Siemens star, which shows focus and sharpness.
  func paintStar() {
    let radius = bitmap.height / 7
    let spokes = 18.0
    let star = Bitmap(width: 2 * radius, height: 2 * radius)
    // Only a quarter of the star is computed. The opposite quarter is the same, and the other two have dark and light spokes exchanged.
    for row in 0..<radius {
      for column in 0..<radius {
        let (x, y) = (Double(column) + 0.5, Double(row) + 0.5)
        let distance = (x * x + y * y).squareRoot()
        guard distance < Double(radius) else { break }
        // `spoke` is the distance to the nearest edge of a spoke, and `disc` that to the edge of the disc, in pixels. They give soft edges without
        // more samples.
        let spoke = distance * sin(spokes * atan2(y, x)) / spokes
        let disc = min(max(0.92 * Double(radius) - distance, 0), 1)
        let cover = min(Double(radius) - distance, 1)
        func pixel(_ spoke: Double) -> UInt32 {
          Palette.light.mixed(with: Palette.dark, min(max(spoke + 0.5, 0), 1) * disc).pixel(alpha: cover)
        }
        let (one, other) = (pixel(spoke), pixel(-spoke))
        star[radius + column, radius + row] = one
        star[radius - 1 - column, radius - 1 - row] = one
        star[radius - 1 - column, radius + row] = other
        star[radius + column, radius - 1 - row] = other
      }
    }
    bitmap.blend(
      star, x: bitmap.width - 2 * radius - bitmap.height / 16, y: ground - 2 * radius - bitmap.height / 16)
  }

  /// Paints eight colour bars above a grey ramp of sixteen steps.
  func paintBars() {
    let ramp = bitmap.height - bitmap.height / 28
    let bars = (0..<bitmap.width).map { Palette.bars[$0 * 8 / bitmap.width].pixel() }
    let steps = (0..<bitmap.width).map { x in
      let level = UInt32(x * 16 / bitmap.width * 17)
      return 0xFF00_0000 | level << 16 | level << 8 | level
    }
    for y in ground..<bitmap.height {
      (bitmap.pixels + y * bitmap.width).update(from: y < ramp ? bars : steps, count: bitmap.width)
    }
  }

  /// Darkens a rectangle with round corners.
  func shade(_ area: PixelArea) {
    let corner = Double(area.height) / 8
    let panel = Bitmap(width: area.width, height: area.height)
    panel.pixels.update(repeating: Palette.dark.pixel(alpha: 0.6), count: area.width * area.height)
    for y in 0..<area.height where min(y, area.height - 1 - y) <= Int(corner) {
      for x in 0..<area.width where min(x, area.width - 1 - x) <= Int(corner) {
        let dx = max(corner - Double(min(x, area.width - 1 - x)) - 0.5, 0)
        let dy = max(corner - Double(min(y, area.height - 1 - y)) - 0.5, 0)
        let coverage = max(0, min(1, corner - (dx * dx + dy * dy).squareRoot() + 0.5))
        panel[x, y] = Palette.dark.pixel(alpha: 0.6 * coverage)
      }
    }
    bitmap.blend(panel, x: area.x, y: area.y)
  }

  /// Paints a ring with twelve marks, in which the hand turns once a second.
  func paintDial(x: Int, y: Int, radius: Int) {
    let dial = Sprites.supersampled(width: 2 * radius, height: 2 * radius) { x, y in
      let (x, y) = (x - 0.5, y - 0.5)
      let distance = (x * x + y * y).squareRoot()
      guard distance > 0.4, distance < 0.49 else { return nil }
      if distance > 0.46 { return Palette.light }
      let turn = atan2(y, x) / .pi * 6
      return abs(turn - turn.rounded()) * distance < 0.035 ? Palette.light : nil
    }
    bitmap.blend(dial, x: x - radius, y: y - radius)
  }

  /// Mixes two opaque colours: `part` 256ths are of `color`, and the rest is of `ground`.
  private static func blend(_ color: UInt32, over ground: UInt32, _ part: UInt32) -> UInt32 {
    let rest = 256 &- part
    let redBlue = (color & 0xFF_00FF) &* part &+ (ground & 0xFF_00FF) &* rest
    let green = (color & 0xFF00) &* part &+ (ground & 0xFF00) &* rest
    return 0xFF00_0000 | redBlue >> 8 & 0xFF_00FF | green >> 8 & 0xFF00
  }
}

/// The sun's light by the distance from its middle: a disc, and a halo that fades.
private struct Glow {
  /// In pixels. There is no light beyond.
  let radius: Int
  /// The light in 256ths, for every quarter of a pixel of the distance.
  private let parts: [UInt32]

  init(radius: Int, disc: Float) {
    self.radius = radius
    parts = (0...4 * radius + 4).map { quarter in
      let distance = Float(quarter) / 4
      let halo = max(0, 1 - distance / Float(radius))
      return UInt32(256 * max(0.75 * halo * halo * halo, min(1, disc - distance + 0.5)))
    }
  }

  /// The light at a point inside the radius.
  func part(_ x: Int, _ y: Int) -> UInt32 {
    parts[Int(4 * Float(x &* x &+ y &* y).squareRoot())]
  }
}
