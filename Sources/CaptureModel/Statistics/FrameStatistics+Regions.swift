import Glibc

extension FrameStatistics {
  /// The mean over the whole picture.
  public var mean: Zone { mean { _, _ in 1 } }

  /// The mean around a point, weighted by a bell curve. Its standard deviation is `radius`, a part of the picture's height: 0.1 is a spot, 0.3 covers
  /// the middle. `aspect`: the picture's width divided by its height.
  public func mean(around point: NormalizedPoint, radius: Double, aspect: Double = 4 / 3) -> Zone {
    // The bell is not narrower than the zones: a point between four zones must not weigh one alone.
    let radius = Swift.max(radius, 0.5 / Double(grid.rows))
    return mean { column, row in
      let center = grid.center(column: column, row: row)
      let (x, y) = ((center.x - point.x) * aspect, center.y - point.y)
      return exp(-(x * x + y * y) / (2 * radius * radius))
    }
  }

  /// The mean with the given weights, of which none is negative and not all are 0. `color` is weighted by its usable pixels too.
  public func mean(weights weight: (_ column: Int, _ row: Int) -> Double) -> Zone {
    var sum = Zone(
      luma: 0, luminance: 0, color: LinearColor(red: 0, green: 0, blue: 0), usable: 0, black: 0, white: 0,
      contrast: 0)
    var total = 0.0
    for row in 0..<grid.rows {
      for column in 0..<grid.columns {
        let part = weight(column, row)
        total += part
        sum.add(self[column, row], times: part)
      }
    }
    return sum.divided(by: total)
  }
}

extension Zone {
  fileprivate mutating func add(_ zone: Zone, times weight: Double) {
    luma += zone.luma * weight
    luminance += zone.luminance * weight
    color.red += zone.color.red * zone.usable * weight
    color.green += zone.color.green * zone.usable * weight
    color.blue += zone.color.blue * zone.usable * weight
    usable += zone.usable * weight
    black += zone.black * weight
    white += zone.white * weight
    contrast += zone.contrast * weight
  }

  fileprivate func divided(by total: Double) -> Zone {
    let pixels = usable > 0 ? usable : 1
    return Zone(
      luma: luma / total, luminance: luminance / total,
      color: LinearColor(red: color.red / pixels, green: color.green / pixels, blue: color.blue / pixels),
      usable: usable / total, black: black / total, white: white / total, contrast: contrast / total)
  }
}
