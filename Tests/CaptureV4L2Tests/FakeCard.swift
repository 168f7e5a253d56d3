import CCaptureShims
import CVideo4Linux
import CaptureLoop
import CaptureModel
import CaptureSystem
import Glibc
import Synchronization

@testable import CaptureV4L2

/// A capture card with two HDMI inputs, behind the system call seam. It is set to one signal, and finds the same one or another.
final class FakeCard: Sendable {
  struct State {
    var input: UInt32 = 0
    /// `V4L2_IN_ST_*`
    var flags: Int32 = 0
    var set = FakeSignal.hd
    var found = FakeSignal.hd
    /// By input.
    var edids: [UInt32: [UInt8]] = [:]
    /// The inputs whose sources are subscribed to, and those whose events wait to be taken.
    var (subscribed, events): (Set<UInt32>, [UInt32]) = ([], [])
  }
  let driver = FakeDriver()
  private let state = Mutex(State())
  private let told = Mutex<[InputChange]>([])
  /// The time of the last look, in nanoseconds.
  private let now = Mutex<UInt64>(0)
  let port: ControlPort

  /// `hasEvents`: whether its driver announces another source (`V4L2_EVENT_SOURCE_CHANGE`).
  init(hasEvents: Bool) throws {
    let thread = try DeviceThread(label: "control fake")
    var device = try VideoDevice(path: "/dev/fake", system: driver.system)
    device.move(to: thread)
    port = ControlPort(device, path: "/dev/fake", type: .singlePlanar, on: thread, end: CameraEnd())
    driver.with { state in
      state.refusals[capture_VIDIOC_ENUMINPUT] = { argument in
        argument.assumingMemoryBound(to: v4l2_input.self).pointee.index < 2 ? nil : .invalid
      }
      state.refusals[capture_VIDIOC_DQEVENT] = { [weak self] _ in
        self?.state.withLock { $0.events.isEmpty } == false ? nil : .noEntry
      }
    }
    if hasEvents {
      answer(capture_VIDIOC_SUBSCRIBE_EVENT) { state, argument in
        state.subscribed.insert(argument.assumingMemoryBound(to: v4l2_event_subscription.self).pointee.id)
      }
    }
    // As the kernel does, it drops the events of what is not subscribed to any more.
    answer(capture_VIDIOC_UNSUBSCRIBE_EVENT) { state, _ in (state.subscribed, state.events) = ([], []) }
    answer(capture_VIDIOC_DQEVENT) { state, argument in
      let event = argument.assumingMemoryBound(to: v4l2_event.self)
      event.pointee.type = UInt32(V4L2_EVENT_SOURCE_CHANGE)
      event.pointee.id = state.events.removeFirst()
    }
    answer(capture_VIDIOC_ENUMINPUT) { state, argument in
      let entry = argument.assumingMemoryBound(to: v4l2_input.self)
      FakeDriver.write("HDMI \(entry.pointee.index)", &entry.pointee.name)
      entry.pointee.type = UInt32(V4L2_INPUT_TYPE_CAMERA)
      entry.pointee.capabilities = UInt32(V4L2_IN_CAP_DV_TIMINGS)
      entry.pointee.status = UInt32(state.flags)
    }
    answer(capture_VIDIOC_G_INPUT) { state, argument in argument.storeBytes(of: state.input, as: UInt32.self)
    }
    answer(capture_VIDIOC_S_INPUT) { state, argument in state.input = argument.load(as: UInt32.self) }
    answer(capture_VIDIOC_G_DV_TIMINGS) { state, argument in state.set.write(to: argument) }
    answer(capture_VIDIOC_QUERY_DV_TIMINGS) { state, argument in state.found.write(to: argument) }
    answer(capture_VIDIOC_S_DV_TIMINGS) { state, argument in state.set = FakeSignal(argument) }
    answer(capture_VIDIOC_G_EDID) { state, argument in
      let entry = argument.assumingMemoryBound(to: v4l2_edid.self)
      let bytes = (state.edids[entry.pointee.pad] ?? []).prefix(Int(entry.pointee.blocks) * 128)
      for (index, byte) in bytes.enumerated() { entry.pointee.edid[index] = byte }
      entry.pointee.blocks = UInt32(bytes.count / 128)
    }
    answer(capture_VIDIOC_S_EDID) { state, argument in
      let entry = argument.assumingMemoryBound(to: v4l2_edid.self)
      state.edids[entry.pointee.pad] = Array(
        UnsafeBufferPointer(start: entry.pointee.edid, count: Int(entry.pointee.blocks) * 128))
    }
  }

  private func answer(
    _ request: UInt, _ body: @escaping @Sendable (inout State, UnsafeMutableRawPointer) -> Void
  ) {
    driver.with { driver in
      driver.answers[request] = { [weak self] argument in
        nonisolated(unsafe) let argument = argument
        self?.state.withLock { body(&$0, argument) }
      }
    }
  }

  /// Notes what the port tells of the input from now on.
  func observe() async {
    await port.observeInput { [weak self] change in self?.told.withLock { $0.append(change) } }
  }

  /// `isLater`: so long after the look before that whatever that took does not matter.
  func look(isLater: Bool = true) async {
    let now = now.withLock { now in
      if isLater { now += 1_000_000_000_000 }
      return now
    }
    await port.lookAtInput(at: now)
  }

  func change(_ body: @Sendable (inout State) -> Void) { state.withLock { body(&$0) } }

  /// Another source is at the input in use, which the driver announces to whoever has subscribed.
  func changeSource(_ signal: FakeSignal) {
    change { state in
      state.found = signal
      if state.subscribed.contains(state.input) { state.events.append(state.input) }
    }
  }

  /// Has the port take the driver's events, as when they wake its thread.
  func takeEvents() async { await port.eventsReady(Int16(POLLPRI)) }

  var hasSubscriptions: Bool { state.withLock { !$0.subscribed.isEmpty } }

  /// What the port has told since the last call.
  func takeChanges() -> [InputChange] {
    told.withLock { told in
      defer { told = [] }
      return told
    }
  }
}

/// DV timings without blanking.
struct FakeSignal: Hashable {
  var width: UInt32
  var height: UInt32
  /// Frames in a second.
  var rate: Double

  static let hd = FakeSignal(width: 1280, height: 720, rate: 60)
  static let fullHD = FakeSignal(width: 1920, height: 1080, rate: 50)
  static let sd = FakeSignal(width: 720, height: 576, rate: 50)

  /// How the port tells of it.
  var told: InputSignal {
    let size = FrameSize(width: Int(width), height: Int(height))
    return .timings(VideoTimings(size: size, interval: FrameInterval(rate: rate)))
  }
}

/// The members of a `v4l2_dv_timings`, which Swift cannot name: they are packed and in a union.
extension FakeSignal {
  private static let (widthAt, heightAt, clockAt) = (4, 8, 20)

  init(_ timings: UnsafeMutableRawPointer) {
    width = timings.loadUnaligned(fromByteOffset: Self.widthAt, as: UInt32.self)
    height = timings.loadUnaligned(fromByteOffset: Self.heightAt, as: UInt32.self)
    let clock = timings.loadUnaligned(fromByteOffset: Self.clockAt, as: UInt64.self)
    rate = Double(clock) / Double(width * height)
  }

  func write(to timings: UnsafeMutableRawPointer) {
    timings.storeBytes(of: width, toByteOffset: Self.widthAt, as: UInt32.self)
    timings.storeBytes(of: height, toByteOffset: Self.heightAt, as: UInt32.self)
    timings.storeBytes(
      of: UInt64(rate * Double(width * height)), toByteOffset: Self.clockAt, as: UInt64.self)
  }
}
