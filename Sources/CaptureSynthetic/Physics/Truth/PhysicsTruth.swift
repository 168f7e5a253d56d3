import CaptureModel
import CaptureSystem
import Synchronization

/// The true state of a camera's frames, which no real camera reports. It is for tests alone; the engine gets none of it.
package final class PhysicsTruth: Sendable {
  package let options: PhysicsOptions
  private let log: Mutex<PhysicsLog>

  init(_ options: PhysicsOptions) {
    self.options = options
    log = Mutex(PhysicsLog(options))
  }

  func withLock<R: Sendable>(_ body: (inout sending PhysicsLog) -> sending R) -> R { log.withLock(body) }

  // MARK: Frames and settings

  /// The true state of a delivered frame of the running or last stream; `nil` for one that was not delivered, or that is older than the last 4096.
  package func frame(_ sequence: UInt64) -> PhysicsFrame? { withLock { $0.frame(sequence) } }

  /// The last frame delivered.
  package var latest: PhysicsFrame? { withLock { $0.latest } }

  /// The settings that the camera took, in order; of many, only the last 2048 to 4096.
  package var effects: [PhysicsEffect] { withLock { $0.effects } }

  /// The last setting of a control.
  package func effect(of control: ControlID) -> PhysicsEffect? {
    withLock { $0.effects.last { $0.control == control } }
  }

  // MARK: The world

  package var world: PhysicsWorld { withLock { $0.model.world } }

  /// Changes the world before the camera. Returns the first frame that shows it; 0 while no stream runs.
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

  // MARK: Values that follow from the world

  /// The distance in metres of the thing at a place of the picture, in the present world. `zoom`: the picture's zoom.
  package func distance(at point: PhysicsPoint, zoom: Double = 1) -> Double {
    withLock { $0.metering.scene.distance(at: point.unzoomed(zoom), $0.model.world) }
  }

  /// The lens position, from 0 (far) to 1 (near) of its travel, that has a place of the picture in focus. `V4L2_CID_FOCUS_ABSOLUTE` is 1023 times as
  /// much.
  package func lensPosition(inFocusAt point: PhysicsPoint, zoom: Double = 1) -> Double {
    LensOptics.position(inFocusAt: distance(at: point, zoom: zoom))
  }

  /// Whether everything in an area of the picture is at one distance.
  package func isFlat(_ area: PhysicsArea, zoom: Double = 1) -> Bool {
    let middle = distance(at: area.point(0.5, 0.5), zoom: zoom)
    return (0...8).allSatisfy { row in
      (0...8).allSatisfy { column in
        distance(at: area.point(Double(column) / 8, Double(row) / 8), zoom: zoom) == middle
      }
    }
  }

  /// The mean light of an area of the picture in the present world, without white balance; `torch`: 0…1.
  package func light(in area: PhysicsArea = .whole, zoom: Double = 1, torch: Double = 0) -> SensorColor {
    withLock { $0.metering.light($0.model.world, in: area.unzoomed(zoom), torch: torch) }
  }

  /// The exposure (``SensorModel/exposure(duration:iso:)``) at which the mean light of an area has a signal of `signal`.
  package func idealExposure(
    signal: Double, in area: PhysicsArea = .whole, zoom: Double = 1, torch: Double = 0
  ) -> Double {
    signal / light(in: area, zoom: zoom, torch: torch).luminance
  }

  /// The grey patches of the chart: their places in the unzoomed picture, and how much light they reflect.
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

  /// A place in the area, 0…1 in both directions.
  func point(_ across: Double, _ down: Double) -> PhysicsPoint {
    PhysicsPoint(x: x + across * width, y: y + down * height)
  }
}
