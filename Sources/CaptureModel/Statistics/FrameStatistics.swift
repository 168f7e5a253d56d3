/// The measurements that software needs to focus, expose and balance a camera: a grid of zones over the picture as the camera delivered it, before
/// anything turned, cropped or scaled it.
///
/// All values use the full range, 0 (black) to 1 (white), whatever range the frame's samples use.
public struct FrameStatistics: Hashable, Sendable {
  /// The frame's number, see ``Frame/sequence``.
  public var sequence: UInt64
  public var timestamp: FrameTimestamp
  public let grid: ZoneGrid
  /// The zones row by row from the top left, ``ZoneGrid/count`` of them.
  public let zones: [Zone]

  public init(sequence: UInt64, timestamp: FrameTimestamp, grid: ZoneGrid, zones: [Zone]) {
    precondition(zones.count == grid.count)
    (self.sequence, self.timestamp, self.grid, self.zones) = (sequence, timestamp, grid, zones)
  }

  public subscript(column: Int, row: Int) -> Zone { zones[row * grid.columns + column] }
}

/// How a picture is cut into zones of one size.
public struct ZoneGrid: Hashable, Sendable {
  public let columns: Int
  public let rows: Int

  /// Both at least 1.
  public init(columns: Int, rows: Int) {
    precondition(columns > 0 && rows > 0)
    (self.columns, self.rows) = (columns, rows)
  }

  public static let standard = ZoneGrid(columns: 16, rows: 12)

  public var count: Int { columns * rows }

  /// The middle of a zone.
  public func center(column: Int, row: Int) -> NormalizedPoint {
    NormalizedPoint(
      clampingX: (Double(column) + 0.5) / Double(columns), y: (Double(row) + 0.5) / Double(rows))
  }
}

/// A zone of a frame, or the mean of several.
public struct Zone: Hashable, Sendable {
  /// Mean luma Y', gamma-encoded as in the frame.
  public var luma: Double
  /// Mean luminance of all pixels, proportional to light: Y' through sRGB's curve. Exposure uses it: half of it is 1 EV less.
  public var luminance: Double
  /// Mean of each channel, proportional to light, over the pixels in which no channel clips. White balance uses it. All 0 where no such pixel exists.
  public var color: LinearColor
  /// The part of the pixels, 0 to 1, from which `color` is computed.
  public var usable: Double
  /// The part of the pixels that are black, 0 to 1. Nobody knows how much light they had.
  public var black: Double
  /// The part of the pixels that are white, 0 to 1. Nobody knows how much light they had.
  public var white: Double
  /// The sharpness of the zone: the mean square of luma's gradient (Sobel, at full resolution), in (1/255 a pixel)². Noise adds a constant to it. It is
  /// comparable only between frames of one camera, format and exposure.
  public var contrast: Double

  public init(
    luma: Double, luminance: Double, color: LinearColor, usable: Double, black: Double, white: Double,
    contrast: Double
  ) {
    (self.luma, self.luminance, self.color) = (luma, luminance, color)
    (self.usable, self.black, self.white, self.contrast) = (usable, black, white, contrast)
  }
}

/// Red, green and blue, proportional to light; 1 is white.
public struct LinearColor: Hashable, Sendable {
  /// 0 and more.
  public var red: Double
  /// 0 and more.
  public var green: Double
  /// 0 and more.
  public var blue: Double

  public init(red: Double, green: Double, blue: Double) {
    (self.red, self.green, self.blue) = (red, green, blue)
  }
}
