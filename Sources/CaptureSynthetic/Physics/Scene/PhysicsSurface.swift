import CPhysicsKernels
import Glibc

/// A flat thing before the camera, parallel to the sensor. Lengths are in heights of the unzoomed picture.
struct PhysicsSurface: Sendable {
  var pattern: physics_pattern
  /// The place of the surface's left edge.
  var x: Double
  /// The place of the surface's top edge.
  var y: Double
  var width: Double
  var height: Double
  /// The size of a check, a brick or a line of print.
  var pitch: Double
  var isDisc = false
  /// Metres from the camera.
  var distance: Double
  /// How much light the surface reflects where it has no ink.
  var paper: SensorColor
  /// How much light the surface reflects where it has ink.
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

  /// The light on the surface: ambient light, and that of the torch, which falls with the square of the distance. Green is 1 in ambient light of 0
  /// EV.
  func light(_ world: PhysicsWorld, torch: Double) -> SensorColor {
    Illuminant.color(world.illuminant) * exp2(world.light)
      + PhysicsScene.torchColor * (PhysicsScene.torchPower * torch / (distance * distance))
  }
}
