import CPhysicsKernels
import Glibc

/// A flat thing before the camera, square to it. Lengths are in heights of the unzoomed picture.
struct PhysicsSurface: Sendable {
  var pattern: physics_pattern
  /// Of its top left corner.
  var x: Double
  var y: Double
  var width: Double
  var height: Double
  /// Of a check, a brick, a line of print.
  var pitch: Double
  var isDisc = false
  /// Metres from the camera.
  var distance: Double
  /// How much of the light it sends back where there is no ink, and where there is.
  var paper: SensorColor
  var ink: SensorColor

  func kernel(tile: UnsafePointer<UInt8>) -> physics_surface {
    physics_surface(
      pattern: pattern, width: Float(width), height: Float(height), pitch: Float(pitch),
      is_disc: isDisc ? 1 : 0,
      tile: tile)
  }

  func contains(x: Double, y: Double) -> Bool {
    let (across, down) = (x - self.x, y - self.y)
    guard isDisc else { return across >= 0 && down >= 0 && across < width && down < height }
    let radius = width / 2
    return (across - radius) * (across - radius) + (down - radius) * (down - radius) < radius * radius
  }

  /// What lights it, green of ambient light at 0 EV being 1: ambient light, and the torch by the square of the distance.
  func light(_ world: PhysicsWorld, torch: Double) -> SensorColor {
    Illuminant.color(world.illuminant) * exp2(world.light)
      + PhysicsScene.torchColor * (PhysicsScene.torchPower * torch / (distance * distance))
  }
}
