import CaptureModel
import CaptureSystem
import Synchronization

/// What no camera tells: what its frames were really taken with. For tests alone; nothing of it goes to the engine.
package final class PhysicsTruth: Sendable {
  package let options: PhysicsOptions
  private let log: Mutex<PhysicsLog>

  init(_ options: PhysicsOptions) {
    self.options = options
    log = Mutex(PhysicsLog(options))
  }

  func withLock<R: Sendable>(_ body: (inout sending PhysicsLog) -> sending R) -> R { log.withLock(body) }

  // MARK: Frames and settings

  /// What a delivered frame of the running or last stream was taken with; `nil` for one not delivered, or long ago.
  package func frame(_ sequence: UInt64) -> PhysicsFrame? { withLock { $0.frame(sequence) } }

  /// The last frame delivered.
  package var latest: PhysicsFrame? { withLock { $0.latest } }

  /// The settings that the camera took, in their order; the last 4096.
  package var effects: [PhysicsEffect] { withLock { $0.effects } }

  /// The last setting of a control.
  package func effect(of control: ControlID) -> PhysicsEffect? {
    withLock { $0.effects.last { $0.control == control } }
  }

  // MARK: The world

  package var world: PhysicsWorld { withLock { $0.model.world } }

  /// Changes what is before the camera. Returns the first frame that shows it; 0 while no stream runs.
  @discardableResult
  package func changeWorld(
    at time: UInt64 = MonotonicClock.now(), _ body: @Sendable (inout PhysicsWorld) -> Void
  ) -> UInt64 {
    withLock { log in
      var world = log.model.world
      body(&world)
      return log.model.set(world, at: time)
    }
  }

  // MARK: What follows from it

  /// Metres to what is at a place of the picture, as the world is now; `zoom`: the picture's.
  package func distance(at point: PhysicsPoint, zoom: Double = 1) -> Double {
    withLock { $0.metering.scene.distance(at: point.unzoomed(zoom), $0.model.world) }
  }

  /// The lens position, 0 (far) … 1 (near) of its travel, that has that place in focus. `V4L2_CID_FOCUS_ABSOLUTE` of the same is 1023
  /// times as much.
  package func lensPosition(inFocusAt point: PhysicsPoint, zoom: Double = 1) -> Double {
    LensOptics.position(inFocusAt: distance(at: point, zoom: zoom))
  }

  /// Whether all of an area of the picture is at one distance.
  package func isFlat(_ area: PhysicsArea, zoom: Double = 1) -> Bool {
    let middle = distance(at: area.point(0.5, 0.5), zoom: zoom)
    return (0...8).allSatisfy { row in
      (0...8).allSatisfy { column in
        distance(at: area.point(Double(column) / 8, Double(row) / 8), zoom: zoom) == middle
      }
    }
  }

  /// The mean light of an area of the picture as the world is now, without white balance; `torch`: 0…1.
  package func light(in area: PhysicsArea = .whole, zoom: Double = 1, torch: Double = 0) -> SensorColor {
    withLock { $0.metering.light($0.model.world, in: area.unzoomed(zoom), torch: torch) }
  }

  /// The exposure (``SensorModel/exposure(duration:iso:)``) at which the mean light of an area has a signal of `signal`.
  package func idealExposure(
    signal: Double, in area: PhysicsArea = .whole, zoom: Double = 1, torch: Double = 0
  ) -> Double {
    signal / light(in: area, zoom: zoom, torch: torch).luminance
  }

  /// The grey patches of the chart: where they are in the unzoomed picture, and what part of the light they send back.
  package var patches: [(area: PhysicsArea, albedo: Double)] { withLock { $0.metering.scene.patches } }
}

extension PhysicsPoint {
  /// The same place in the picture without zoom.
  func unzoomed(_ factor: Double) -> PhysicsPoint {
    PhysicsPoint(x: 0.5 + (x - 0.5) / factor, y: 0.5 + (y - 0.5) / factor)
  }
}

extension PhysicsArea {
  func unzoomed(_ factor: Double) -> PhysicsArea {
    let corner = PhysicsPoint(x: x, y: y).unzoomed(factor)
    return PhysicsArea(x: corner.x, y: corner.y, width: width / factor, height: height / factor)
  }

  /// A place in it, 0…1 both ways.
  func point(_ across: Double, _ down: Double) -> PhysicsPoint {
    PhysicsPoint(x: x + across * width, y: y + down * height)
  }
}
