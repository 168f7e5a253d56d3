import CCaptureShims
import CaptureModel
import CaptureSystem
import Foundation
import Synchronization
import Testing

@testable import CaptureV4L2

/// A driver that does not answer: its caller hangs in the kernel.
struct StuckDriverTests {
  private let driver = FakeDriver()
  private let gate = Gate()
  private let request = StreamRequest(
    pixelFormat: .yuyv, size: FrameSize(width: 640, height: 480),
    interval: FrameInterval(numerator: 1, denominator: 30))

  /// Holds whoever comes, until it is opened.
  private final class Gate: Sendable {
    private let isOpen = Mutex(false)
    private let held = Mutex(0)
    func pass() {
      held.withLock { $0 += 1 }
      while !isOpen.withLock({ $0 }) { usleep(1_000) }
      held.withLock { $0 -= 1 }
    }
    func open() { isOpen.withLock { $0 = true } }
    var isHolding: Bool { held.withLock { $0 > 0 } }
  }

  private func makeCamera() throws -> V4L2Camera {
    try V4L2Camera(
      CameraDescription(id: CameraID(rawValue: "fake"), name: "Fake", driver: "fake", path: "/dev/fake"),
      driver.system)
  }

  @Test func whatItOwesIsKnownAndControlsGoOn() async throws {
    let camera = try makeCamera()
    _ = try await camera.startStreaming(request, into: Receiver())
    driver.with { [gate] in $0.delays[capture_VIDIOC_STREAMOFF] = { gate.pass() } }
    let begun = MonotonicClock.now()
    let stopping = Task { await camera.stopStreaming() }
    try await eventually { gate.isHolding }
    let since = try #require(camera.unansweredSince)
    #expect(since >= begun)
    #expect(try await camera.formats().count == 1, "the other thread is free")
    #expect(camera.unansweredSince == since)
    gate.open()
    await stopping.value
    try await eventually { camera.unansweredSince == nil }
    await camera.close()
    try await eventually { driver.isReleased }
  }

  /// Nodes in a sysfs of the test's.
  private func withNodes(
    _ numbers: Int..., body: (_ add: (Int) throws -> Void, _ sysfs: String) async throws -> Void
  ) async throws {
    let sysfs = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    func add(_ number: Int) throws {
      try FileManager.default.createDirectory(
        atPath: sysfs + "/class/video4linux/video\(number)", withIntermediateDirectories: true)
    }
    for number in numbers { try add(number) }
    defer { try? FileManager.default.removeItem(atPath: sysfs) }
    try await body(add, sysfs)
  }

  @Test func aNodeThatCannotBeOpenedInTimeHoldsNoOtherUp() async throws {
    try await withNodes(0, 1) { _, sysfs in
      let (stuck, gate, driver) = (sysfs + "/video0", gate, driver)
      var system = driver.system
      system.open = { path throws(Errno) in
        if path == stuck { gate.pass() }
        return try driver.system.open(path)
      }
      let events = Events()
      let provider = V4L2Provider(
        selection: .all, paths: SystemPaths(sysfs: sysfs, dev: sysfs), system: system,
        patience: 3_000_000_000)
      await provider.start { events.note($0) }
      #expect(events.paths == [sysfs + "/video1"])
      #expect(provider.missing.count == 1)
      #expect(provider.missing.first?.hasPrefix("\(stuck) does not answer") == true, "\(provider.missing)")
      gate.open()
      // Both nodes of this driver are the same camera: the second one is told as such.
      try await eventually { provider.missing.first?.contains("in use") == true }
      await provider.stop()
      try await eventually { driver.isReleased }
    }
  }

  @Test func aSilentNodeThatIsUnpluggedIsNoLongerTold() async throws {
    try await withNodes(0) { _, sysfs in
      let (gate, driver) = (gate, driver)
      var system = driver.system
      system.open = { path throws(Errno) in
        gate.pass()
        return try driver.system.open(path)
      }
      let events = Events()
      let provider = V4L2Provider(
        selection: .all, paths: SystemPaths(sysfs: sysfs, dev: sysfs), system: system)
      await provider.start { events.note($0) }
      #expect(provider.missing.first?.contains("does not answer") == true, "\(provider.missing)")
      try FileManager.default.removeItem(atPath: sysfs + "/class/video4linux/video0")
      close(open(sysfs + "/video1", O_CREAT | O_WRONLY, 0o600))
      try await eventually { provider.missing.isEmpty }
      #expect(gate.isHolding)
      // Its driver answers after all, and what that opened is closed.
      gate.open()
      try await eventually { driver.calls(of: capture_VIDIOC_QUERYCAP) > 0 && driver.isReleased }
      #expect(events.history.isEmpty)
      await provider.stop()
    }
  }

  @Test func anUnplugIsToldWhileTheDriverHoldsTheCameraAndItsReturnIsServed() async throws {
    try await withNodes(0) { add, sysfs in
      let events = Events()
      let provider = V4L2Provider(
        selection: .all, paths: SystemPaths(sysfs: sysfs, dev: sysfs), system: driver.system,
        patience: 60_000_000_000)
      await provider.start { events.note($0) }
      let camera = try #require(events.present.first)
      _ = try await camera.startStreaming(request, into: Receiver())
      driver.with { [gate] in $0.delays[capture_VIDIOC_STREAMOFF] = { gate.pass() } }
      let stopping = Task { await camera.stopStreaming() }
      try await eventually { gate.isHolding }
      // It is plugged in elsewhere at once: the old number is taken.
      try FileManager.default.removeItem(atPath: sysfs + "/class/video4linux/video0")
      try add(1)
      close(open(sysfs + "/video1", O_CREAT | O_WRONLY, 0o600))
      try await eventually { events.history.contains("vanished") }
      #expect(gate.isHolding)
      try await eventually { events.paths == [sysfs + "/video1"] }
      #expect(gate.isHolding, "and nobody waited for it")
      gate.open()
      await stopping.value
      await provider.stop()
      try await eventually { driver.isReleased }
    }
  }

  @Test func theEndDoesNotWaitForADriverThatHasNotAnsweredForLong() async throws {
    try await withNodes(0) { _, sysfs in
      let events = Events()
      let provider = V4L2Provider(
        selection: .all, paths: SystemPaths(sysfs: sysfs, dev: sysfs), system: driver.system,
        patience: 60_000_000_000)
      await provider.start { events.note($0) }
      let camera = try #require(events.present.first as? V4L2Camera)
      _ = try await camera.startStreaming(request, into: Receiver())
      driver.with { [gate] in $0.delays[capture_VIDIOC_STREAMOFF] = { gate.pass() } }
      let stopping = Task { await camera.stopStreaming() }
      try await eventually { camera.isHeld }
      let patience = Duration.seconds(60)
      let took = await ContinuousClock().measure { await provider.stop(within: patience) }
      #expect(took < patience && gate.isHolding)
      gate.open()
      await stopping.value
      try await eventually { driver.isReleased }
    }
  }

  private final class Events: Sendable {
    private let state = Mutex<(present: [any Camera], history: [String])>(([], []))
    func note(_ event: CameraProviderEvent) {
      state.withLock { state in
        switch event {
        case .appeared(let camera):
          state.present.append(camera)
          state.history.append("appeared")
        case .vanished(let id):
          state.present.removeAll { $0.description.id == id }
          state.history.append("vanished")
        }
      }
    }
    var present: [any Camera] { state.withLock { $0.present } }
    var paths: [String] { present.map(\.description.path) }
    var history: [String] { state.withLock { $0.history } }
  }
}
