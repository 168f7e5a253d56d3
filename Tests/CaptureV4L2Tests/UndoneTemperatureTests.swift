import CCaptureShims
import CVideo4Linux
import CaptureControls
import CaptureModel
import CaptureSystem
import Synchronization
import Testing

@testable import CaptureV4L2

/// A camera whose temperature sets the balances of red and blue too. It refuses what comes after that in the same call.
struct UndoneTemperatureTests {
  private final class Rig: Sendable {
    static let before: [ControlID: Int32] = [
      .brightness: 10, .redBalance: 90, .blueBalance: 30, .whiteBalanceTemperature: 25,
    ]
    let driver = FakeDriver()
    let values = Mutex(Rig.before)
    /// What is set, in order.
    let taken = Mutex<[ControlID]>([])
    let camera: V4L2Camera

    /// `fixed`: what cannot be set.
    init(fixed: ControlID? = nil) throws {
      camera = try V4L2Camera(
        CameraDescription(id: CameraID(rawValue: "fake"), name: "Fake", driver: "fake", path: "/dev/fake"),
        driver.system)
      driver.with { state in
        state.answers[capture_VIDIOC_QUERY_EXT_CTRL] = { argument in
          let entry = argument.assumingMemoryBound(to: v4l2_query_ext_ctrl.self)
          if entry.pointee.id & UInt32(V4L2_CTRL_FLAG_NEXT_CTRL) != 0 {
            let last = entry.pointee.id & 0x0fff_ffff
            entry.pointee.id = Self.before.keys.map(\.rawValue).filter { $0 > last }.min() ?? 0
          }
          let id = ControlID(rawValue: entry.pointee.id)
          FakeDriver.write("Control \(id.rawValue)", &entry.pointee.name)
          entry.pointee.type = V4L2_CTRL_TYPE_INTEGER.rawValue
          entry.pointee.flags = id == fixed ? UInt32(V4L2_CTRL_FLAG_READ_ONLY) : 0
          (entry.pointee.maximum, entry.pointee.elems, entry.pointee.elem_size) = (255, 1, 4)
        }
        state.answers[capture_VIDIOC_G_EXT_CTRLS] = { [weak self] argument in
          let control = argument.assumingMemoryBound(to: v4l2_ext_controls.self).pointee.controls!
          let id = ControlID(rawValue: control.pointee.id)
          control.pointee.value = self?.values.withLock { $0[id] } ?? 0
        }
        state.refusals[capture_VIDIOC_S_EXT_CTRLS] = { argument in
          let id = argument.assumingMemoryBound(to: v4l2_ext_controls.self).pointee.controls.pointee.id
          return id == ControlID.brightness.rawValue ? Errno(rawValue: 5) : nil
        }
        state.answers[capture_VIDIOC_S_EXT_CTRLS] = { [weak self] argument in
          let control = argument.assumingMemoryBound(to: v4l2_ext_controls.self).pointee.controls.pointee
          let id = ControlID(rawValue: control.id)
          self?.taken.withLock { $0.append(id) }
          self?.values.withLock { values in
            values[id] = control.value
            guard id == .whiteBalanceTemperature else { return }
            for gain in [ControlID.redBalance, .blueBalance] where gain != fixed { values[gain] = 55 }
          }
        }
      }
    }

    func set(_ ids: ControlID...) async -> CaptureError? {
      await #expect(throws: CaptureError.self) {
        _ = try await camera.set(ids.map { ControlAssignment($0, .integer(100)) }, pacing: nil)
      }
    }
  }

  @Test func theGainsAreSetBackAfterIt() async throws {
    let rig = try Rig()
    let error = await rig.set(.whiteBalanceTemperature, .brightness)
    #expect(rig.values.withLock { $0 } == Rig.before && error?.unrestored.isEmpty == true)
    let mixed = try Rig()
    _ = await mixed.set(.whiteBalanceTemperature, .redBalance, .blueBalance, .brightness)
    #expect(mixed.values.withLock { $0 } == Rig.before)
  }

  @Test func whatCannotBeSetIsNotSetBack() async throws {
    let rig = try Rig(fixed: .redBalance)
    let error = await rig.set(.whiteBalanceTemperature, .brightness)
    #expect(rig.values.withLock { $0 } == Rig.before && error?.unrestored.isEmpty == true)
    #expect(
      rig.taken.withLock { $0 } == [.whiteBalanceTemperature, .whiteBalanceTemperature, .blueBalance])
  }
}
