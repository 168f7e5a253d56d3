import CaptureImaging
import Glibc

/// Pictures that move over the scene, with soft edges.
enum Sprites {
  /// A hot-air balloon.
  static func balloon(height: Int) -> Bitmap {
    let height = max(height, 8)
    // The envelope has gores of equal angles, seen from the side and lit from the right. The table has a colour for each place from the envelope's
    // left edge to its right one.
    let shades = (0...1024).map { place in
      let angle = asin(Double(place) / 512 - 1)
      let gore = min(7, Int((angle / .pi + 0.5) * 8))
      let light = 0.5 + 0.5 * cos(angle - 0.6)
      return Palette.dark.mixed(with: Palette.balloon[gore % Palette.balloon.count], 0.35 + 0.65 * light)
    }
    return supersampled(width: height * 3 / 4, height: height) { x, y in
      // One unit is the sprite's height; x is counted from the middle.
      let x = x - 0.375
      let radius = 0.36
      let center = 0.37
      let halfWidth: Double
      if y <= center + 0.12 {
        let rise = y - center
        guard abs(rise) < radius else { return nil }
        halfWidth = (radius * radius - rise * rise).squareRoot()
      } else if y < 0.8 {
        let start = (radius * radius - 0.12 * 0.12).squareRoot()
        let part = (y - center - 0.12) / (0.8 - center - 0.12)
        halfWidth = start + (0.06 - start) * (part * (1.25 - 0.25 * part))
      } else if y < 0.9 {
        let rope = 0.06 - (y - 0.8) * 0.1
        return abs(abs(x) - rope) < 0.006 ? Palette.basket : nil
      } else {
        return abs(x) < 0.055 && y < 0.985 ? Palette.basket : nil
      }
      guard abs(x) < halfWidth else { return nil }
      return shades[Int((x / halfWidth + 1) * 512)]
    }
  }

  static func dot(diameter: Int, _ color: Color) -> Bitmap {
    supersampled(width: diameter, height: diameter) { x, y in
      (x - 0.5) * (x - 0.5) + (y - 0.5) * (y - 0.5) < 0.24 ? color : nil
    }
  }

  /// Makes a bitmap of `color`, which is sampled at four points a pixel. The coordinates of a point are in units of the height.
  static func supersampled(width: Int, height: Int, _ color: (Double, Double) -> Color?) -> Bitmap {
    let bitmap = Bitmap(width: width, height: height)
    let scale = 1 / Double(height)
    for y in 0..<height {
      for x in 0..<width {
        var (alpha, red, green, blue) = (0.0, 0.0, 0.0, 0.0)
        for sample in 0..<4 {
          let offset = (x: Double(sample % 2) / 2 + 0.25, y: Double(sample / 2) / 2 + 0.25)
          guard let found = color((Double(x) + offset.x) * scale, (Double(y) + offset.y) * scale) else {
            continue
          }
          alpha += 1
          red += found.red
          green += found.green
          blue += found.blue
        }
        func byte(_ sum: Double) -> UInt32 { UInt32(sum / 4 * 255 + 0.5) }
        bitmap[x, y] = byte(alpha) << 24 | byte(red) << 16 | byte(green) << 8 | byte(blue)
      }
    }
    return bitmap
  }
}
