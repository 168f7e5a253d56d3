import CPhysicsKernels

/// A coarse copy of the scene for metering: each surface in a few cells, which give the share of the surface in the light of an area.
struct SceneCells: Sendable {
  /// The cells of a surface, from its top left corner, row by row.
  private struct Grid {
    var columns: Int
    var ink: [Float]
    var cover: [Float]
  }

  private let grids: [Grid]
  private let aspect: Double
  /// Cells in a height of the picture.
  private static let rows = 64
  /// Points at which a cell is sampled, in each direction.
  private static let points = 4

  init(_ surfaces: [PhysicsSurface], aspect: Double, tile: [UInt8]) {
    self.aspect = aspect
    grids = surfaces.map { surface in
      let columns = Int((surface.width * Double(Self.rows)).rounded(.up))
      let count = Int((surface.height * Double(Self.rows)).rounded(.up))
      var grid = Grid(
        columns: columns, ink: Array(repeating: 0, count: columns * count),
        cover: Array(repeating: 0, count: columns * count))
      tile.withUnsafeBufferPointer {
        var kernel = surface.kernel(tile: $0.baseAddress!)
        physics_sum_surface(
          &kernel, 1 / Float(Self.rows), Int32(Self.points), columns, count, &grid.ink, &grid.cover)
      }
      return grid
    }
  }

  /// The factors for the light on each of `surfaces`: the sum of these lights, each times its factor, is the mean light of an area of the unzoomed
  /// picture. `weight`: the weight of a place in the area, whose coordinates are 0…1.
  func shares(
    _ surfaces: [PhysicsSurface], in area: PhysicsArea, weight: (Double, Double) -> Double
  ) -> [SensorColor] {
    var shares = Array(repeating: SensorColor.black, count: surfaces.count)
    var whole = 0.0
    // The light is sampled at 48 x 48 places, however small the area is.
    let count = 48
    for row in 0..<count {
      for column in 0..<count {
        let (across, down) = ((Double(column) + 0.5) / Double(count), (Double(row) + 0.5) / Double(count))
        let x = (area.x + across * area.width) * aspect
        let y = area.y + down * area.height
        let weight = weight(across, down)
        var seen = weight
        whole += weight
        for index in surfaces.indices.reversed() where seen > 0 {
          let surface = surfaces[index]
          let (cellX, cellY) = (
            Int((x - surface.x) * Double(Self.rows)), Int((y - surface.y) * Double(Self.rows))
          )
          let grid = grids[index]
          guard x >= surface.x, y >= surface.y, cellX < grid.columns, cellY < grid.cover.count / grid.columns
          else {
            continue
          }
          let cover = Double(grid.cover[cellY * grid.columns + cellX])
          let ink = Double(grid.ink[cellY * grid.columns + cellX])
          shares[index] =
            shares[index] + surface.paper * (seen * (cover - ink)) + surface.ink * (seen * ink)
          seen *= 1 - cover
        }
      }
    }
    return shares.map { $0 * (1 / whole) }
  }
}
