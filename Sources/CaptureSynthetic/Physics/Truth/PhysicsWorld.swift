/// The part of the scene that can change.
package struct PhysicsWorld: Hashable, Sendable {
  /// The ambient light, in EV: at 0 a white thing just reaches full signal in 10 ms at ISO 100.
  package var light = 0.0
  /// The ambient light's correlated colour temperature, 1700 to 25,000 K.
  package var illuminant = 5000.0
  /// The middle of the ball in the unzoomed picture, 0…1 from its top left corner.
  package var subject = PhysicsPoint(x: 0.52, y: 0.68)
  /// The distance from the camera to the ball in metres, 0.18 or more. The ball's size in the picture stays.
  package var subjectDistance = 0.45

  package init() {}
}

/// A place in a picture, 0…1 from its top left corner.
package struct PhysicsPoint: Hashable, Sendable {
  package var x: Double
  package var y: Double

  package init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }
}
