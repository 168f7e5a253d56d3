import CCaptureShims
import CVideo4Linux
import CaptureControls
import CaptureModel
import CaptureSystem
import Synchronization
import Testing

@testable import CaptureV4L2

/// A camera that says that it is not ready when it is told something.
struct BusyControlTests {
  /// Two integers; which of them were taken, in order.
  private final class Rig: Sendable {
    static let (first, second) = (ControlID.brightness, ControlID.contrast)
    let driver = FakeDriver()
    let taken = Mutex<[UInt32]>([])
    let camera: V4L2Camera

    init(flags: Int32 = 0) throws {
      camera = try V4L2Camera(
        CameraDescription(id: CameraID(rawValue: "fake"), name: "Fake", driver: "fake", path: "/dev/fake"),
        driver.system)
      driver.with { state in
        state.answers[capture_VIDIOC_QUERY_EXT_CTRL] = { argument in
          let entry = argument.assumingMemoryBound(to: v4l2_query_ext_ctrl.self)
          if entry.pointee.id & UInt32(V4L2_CTRL_FLAG_NEXT_CTRL) != 0 {
            let last = entry.pointee.id & 0x0fff_ffff
            entry.pointee.id = [Self.first, Self.second].map(\.rawValue).first { $0 > last } ?? 0
          }
          let id = ControlID(rawValue: entry.pointee.id)
          FakeDriver.write(id == Self.first ? "Brightness" : "Contrast", &entry.pointee.name)
          entry.pointee.type = V4L2_CTRL_TYPE_INTEGER.rawValue
          entry.pointee.flags = UInt32(flags)
          (entry.pointee.maximum, entry.pointee.elems, entry.pointee.elem_size) = (255, 1, 4)
        }
        state.answers[capture_VIDIOC_G_EXT_CTRLS] = { _ in }
        state.answers[capture_VIDIOC_S_EXT_CTRLS] = { [weak self] argument in
          let id = argument.assumingMemoryBound(to: v4l2_ext_controls.self).pointee.controls.pointee.id
          self?.taken.withLock { $0.append(id) }
        }
      }
    }

    func set(_ ids: ControlID...) async throws(CaptureError) -> [ControlMoment] {
      try await camera.set(ids.map { ControlAssignment($0, .integer(100)) }, pacing: nil)
    }

    var trials: Int { driver.calls(of: capture_VIDIOC_S_EXT_CTRLS) }
  }

  @Test func itIsAskedAgainAndTheMomentIsThatOfTheTrialThatItTook() async throws {
    let rig = try Rig()
    rig.driver.fail(capture_VIDIOC_S_EXT_CTRLS, .busy, .busy, .busy)
    let begun = MonotonicClock.now()
    let moment = try #require(try await rig.set(Rig.first).first)
    #expect(rig.trials == 4 && rig.taken.withLock { $0 } == [Rig.first.rawValue])
    // After the pauses.
    #expect(moment.began - begun >= 70_000_000)
  }

  @Test func whoDoesNotGetReadyIsGivenUpAndWhatWasSetIsSetBack() async throws {
    let rig = try Rig()
    let most = ControlPort.pausesOfBusy.count + 1
    let calls = Mutex(0)
    rig.driver.with { [driver = rig.driver] state in
      state.delays[capture_VIDIOC_S_EXT_CTRLS] = {
        let call = calls.withLock { calls in
          calls += 1
          return calls
        }
        if (2..<2 + most).contains(call) { driver.fail(capture_VIDIOC_S_EXT_CTRLS, .busy) }
      }
    }
    let error = await #expect(throws: CaptureError.self) { try await rig.set(Rig.first, Rig.second) }
    #expect(error?.code == .failedPrecondition && error?.message.contains("not ready") == true)
    #expect(rig.trials == 2 + most)
    // It, and what it was before.
    #expect(rig.taken.withLock { $0 } == [Rig.first.rawValue, Rig.first.rawValue])
  }

  @Test(arguments: [true, false]) func whatCannotBeSetBackIsTold(isReadable: Bool) async throws {
    let rig = try Rig()
    let failed = Errno(rawValue: 5)
    if !isReadable { rig.driver.fail(capture_VIDIOC_G_EXT_CTRLS, .accessDenied) }
    let calls = Mutex(0)
    rig.driver.with { [driver = rig.driver] state in
      state.delays[capture_VIDIOC_S_EXT_CTRLS] = {
        let isFirst = calls.withLock { calls in
          calls += 1
          return calls == 1
        }
        if !isFirst { driver.fail(capture_VIDIOC_S_EXT_CTRLS, failed) }
      }
    }
    let error = await #expect(throws: CaptureError.self) { try await rig.set(Rig.first, Rig.second) }
    #expect(error?.cause == failed && error?.message.contains("'contrast'") == true)
    // What was before, if it is known.
    #expect(error?.unrestored == (isReadable ? [ControlAssignment(Rig.first, .integer(0))] : []))
    let text = "; 'brightness' could not be set back: what was set there stays"
    #expect(error?.message.hasSuffix(text) == !isReadable, "\(String(describing: error))")
    #expect(rig.trials == (isReadable ? 3 : 2))
    #expect(rig.taken.withLock { $0 } == [Rig.first.rawValue])
  }

  /// A control that a call sets twice.
  @Test func whatWasBeforeTheFirstAssignmentIsTold() async throws {
    let rig = try Rig()
    let calls = Mutex(0)
    rig.driver.with { [driver = rig.driver] state in
      state.answers[capture_VIDIOC_G_EXT_CTRLS] = { argument in
        let value = Int32(calls.withLock { $0 })
        argument.assumingMemoryBound(to: v4l2_ext_controls.self).pointee.controls.pointee.value = value
      }
      state.delays[capture_VIDIOC_S_EXT_CTRLS] = {
        let call = calls.withLock { calls in
          calls += 1
          return calls
        }
        if call > 2 { driver.fail(capture_VIDIOC_S_EXT_CTRLS, Errno(rawValue: 5)) }
      }
    }
    let error = await #expect(throws: CaptureError.self) {
      try await rig.set(Rig.first, Rig.first, Rig.second)
    }
    #expect(error?.unrestored == [ControlAssignment(Rig.first, .integer(0))])
  }

  @Test func otherRefusalsAndWhatTheDriverHasFixedAreNotTriedAgain() async throws {
    let refusing = try Rig()
    refusing.driver.fail(capture_VIDIOC_S_EXT_CTRLS, Errno(rawValue: 84))
    await #expect(throws: CaptureError.self) { try await refusing.set(Rig.first) }
    #expect(refusing.trials == 1)
    let fixed = try Rig(flags: V4L2_CTRL_FLAG_GRABBED)
    fixed.driver.fail(capture_VIDIOC_S_EXT_CTRLS, .busy)
    await #expect(throws: CaptureError.self) { try await fixed.set(Rig.first) }
    #expect(fixed.trials == 1)
  }
}
