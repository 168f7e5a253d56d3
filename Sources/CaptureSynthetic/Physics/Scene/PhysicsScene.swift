import CPhysicsKernels
import CaptureModel
import Glibc

/// The scene before a camera with physics: flat things at seven distances. All have textures from coarse to fine, so that the camera can focus on every
/// place of the picture. The mean of the whole is grey.
struct PhysicsScene: Sendable {
  /// Width by height of the unzoomed picture.
  let aspect: Double
  /// From far to near. The first one fills the picture.
  private(set) var surfaces: [PhysicsSurface]
  /// 256 x 256 random bytes for patterns.
  let tile: [UInt8]
  let cells: SceneCells
  /// The index in ``surfaces`` of the ball that can be moved.
  static let subject = 5
  /// The index in ``surfaces`` of the far checker, which may be brighter than the rest.
  private static let window = 1

  /// The colour of the torch's light, which is white.
  static let torchColor = Illuminant.color(5600)
  /// The torch's light at full power and 1 m: as bright as ambient light at -2 EV.
  static let torchPower = 0.25

  /// `window`: how much brighter the far checker is, in EV; with more than 0 the mean of the scene is no longer grey.
  init(aspect: Double, seed: UInt64, window: Double = 0) {
    self.aspect = aspect
    let count = 256 * 256
    tile = Array(unsafeUninitializedCapacity: count) { buffer, filled in
      physics_random_bytes(seed, buffer.baseAddress!, count)
      filled = count
    }
    surfaces = Self.surfaces(aspect)
    cells = SceneCells(surfaces, aspect: aspect, tile: tile)
    balance()
    surfaces[Self.window].paper = surfaces[Self.window].paper * exp2(window)
    surfaces[Self.window].ink = surfaces[Self.window].ink * exp2(window)
  }

  /// The surfaces, with the ball at its place in `world`.
  func surfaces(_ world: PhysicsWorld) -> [PhysicsSurface] {
    var surfaces = surfaces
    let ball = surfaces[Self.subject]
    surfaces[Self.subject].x = world.subject.x * aspect - ball.width / 2
    surfaces[Self.subject].y = world.subject.y - ball.height / 2
    surfaces[Self.subject].distance = world.subjectDistance
    return surfaces
  }

  /// The distance in metres of the thing at a place of the unzoomed picture.
  func distance(at point: PhysicsPoint, _ world: PhysicsWorld) -> Double {
    surfaces(world).last { $0.contains(x: point.x * aspect, y: point.y) }?.distance ?? surfaces[0].distance
  }

  /// Tints the wall so that the mean of the scene is grey.
  private mutating func balance() {
    let shares = cells.shares(surfaces(PhysicsWorld()), in: PhysicsArea.whole) { _, _ in 1 }
    let rest = shares.dropFirst().reduce(SensorColor.black, +)
    let mean = (rest + shares[0]).luminance
    let tint = SensorColor(
      red: (mean - rest.red) / shares[0].red, green: (mean - rest.green) / shares[0].green,
      blue: (mean - rest.blue) / shares[0].blue)
    surfaces[0].paper = surfaces[0].paper * tint
    surfaces[0].ink = surfaces[0].ink * tint
  }

  private static func surfaces(_ aspect: Double) -> [PhysicsSurface] {
    func color(_ red: Double, _ green: Double, _ blue: Double) -> SensorColor {
      SensorColor(red: red, green: green, blue: blue)
    }
    /// A surface whose `x` and `width` are given as parts of the picture's width.
    func surface(
      _ pattern: physics_pattern, x: Double, y: Double, width: Double, height: Double, pitch: Double,
      distance: Double, paper: SensorColor, ink: SensorColor
    ) -> PhysicsSurface {
      PhysicsSurface(
        pattern: pattern, x: x * aspect, y: y, width: width * aspect, height: height, pitch: pitch,
        distance: distance, paper: paper, ink: ink)
    }
    let ball = PhysicsSurface(
      pattern: physics_pattern_checker, x: 0, y: 0, width: 0.3, height: 0.3, pitch: 0.04, isDisc: true,
      distance: 0.45, paper: color(0.8, 0.4, 0.14), ink: color(0.1, 0.16, 0.3))
    return [
      surface(
        physics_pattern_bricks, x: 0, y: 0, width: 1, height: 1, pitch: 0.07, distance: 4,
        paper: color(0.1, 0.1, 0.1), ink: color(0.5, 0.46, 0.42)),
      surface(
        physics_pattern_checker, x: 0.68, y: 0.05, width: 0.27, height: 0.31, pitch: 0.055, distance: 2.2,
        paper: color(0.2, 0.45, 0.24), ink: color(0.62, 0.34, 0.48)),
      surface(
        physics_pattern_camouflage, x: 0.05, y: 0.06, width: 0.29, height: 0.52, pitch: 0.2, distance: 1.2,
        paper: color(0.75, 0.6, 0.2), ink: color(0.08, 0.14, 0.32)),
      surface(
        physics_pattern_patches, x: 0.39, y: 0.08, width: 0.25, height: 0.38, pitch: 0.0125, distance: 0.6,
        paper: .black, ink: .white),
      surface(
        physics_pattern_print, x: -0.05, y: 0.66, width: 0.42, height: 0.4, pitch: 0.03, distance: 0.3,
        paper: color(0.8, 0.8, 0.78), ink: color(0.04, 0.04, 0.05)),
      ball,
      surface(
        physics_pattern_checker, x: 0.68, y: 0.58, width: 0.4, height: 0.6, pitch: 0.075, distance: 0.2,
        paper: color(0.62, 0.2, 0.17), ink: color(0.16, 0.42, 0.46)),
    ]
  }

  /// The patches of the chart, row by row: their places in the unzoomed picture, and how much light they reflect (mean).
  var patches: [(area: PhysicsArea, albedo: Double)] {
    let chart = surfaces[3]
    let border = Double(physics_patch_border)
    let (columns, rows) = (Int(physics_patch_columns), Int(physics_patch_rows))
    let width = chart.width * (1 - 2 * border) / Double(columns)
    let height = chart.height * (1 - 2 * border) / Double(rows)
    let levels = Self.patchLevels
    return (0..<columns * rows).map { index in
      let x = chart.x + chart.width * border + Double(index % columns) * width
      let y = chart.y + chart.height * border + Double(index / columns) * height
      return (
        PhysicsArea(x: x / aspect, y: y, width: width / aspect, height: height), levels[index]
      )
    }
  }

  /// The patches' albedos, as in the C code: Swift would import the C array as a tuple.
  private static let patchLevels = [0.9, 0.59, 0.36, 0.18, 0.09, 0.04]
}

/// A part of a picture, 0…1 from its top left corner.
package struct PhysicsArea: Hashable, Sendable {
  package var x: Double
  package var y: Double
  package var width: Double
  package var height: Double

  package init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  package static let whole = PhysicsArea(x: 0, y: 0, width: 1, height: 1)

  /// The part that a zoomed picture shows.
  static func zoomed(_ factor: Double) -> PhysicsArea {
    PhysicsArea(x: 0.5 - 0.5 / factor, y: 0.5 - 0.5 / factor, width: 1 / factor, height: 1 / factor)
  }
}
