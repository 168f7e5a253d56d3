import Glibc

/// The light that the camera meters: the mean over the picture, in which the middle counts most.
struct Metering: Sendable {
  let scene: PhysicsScene
  private var shares: (zoom: Double, subject: PhysicsPoint, of: [SensorColor])?

  init(_ scene: PhysicsScene) { self.scene = scene }

  mutating func light(_ world: PhysicsWorld, zoom: Double, torch: Double) -> SensorColor {
    let surfaces = scene.surfaces(world)
    if let shares, shares.zoom == zoom, shares.subject == world.subject {
      return Self.sum(shares.of, surfaces, world, torch)
    }
    let new = scene.cells.shares(surfaces, in: .zoomed(zoom)) { x, y in
      exp(-6 * ((x - 0.5) * (x - 0.5) + (y - 0.5) * (y - 0.5)))
    }
    shares = (zoom, world.subject, new)
    return Self.sum(new, surfaces, world, torch)
  }

  /// The mean light of an area of the unzoomed picture, in which every place counts the same.
  func light(_ world: PhysicsWorld, in area: PhysicsArea, torch: Double) -> SensorColor {
    let surfaces = scene.surfaces(world)
    return Self.sum(scene.cells.shares(surfaces, in: area) { _, _ in 1 }, surfaces, world, torch)
  }

  private static func sum(
    _ shares: [SensorColor], _ surfaces: [PhysicsSurface], _ world: PhysicsWorld, _ torch: Double
  ) -> SensorColor {
    zip(shares, surfaces).reduce(.black) { $0 + $1.0 * $1.1.light(world, torch: torch) }
  }
}
