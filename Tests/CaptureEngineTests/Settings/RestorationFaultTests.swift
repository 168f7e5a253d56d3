import CaptureControls
import CaptureModel
import CaptureTestSupport
import Testing

@testable import CaptureEngine

/// A camera that does not answer once while it gets back what clients had set.
@Suite(.timeLimit(.minutes(1))) struct RestorationFaultTests {
  private let store = TestStore()

  private func node(_ camera: FakeCamera) async throws -> (CaptureEngine, Device) {
    let engine = CaptureEngine(imaging: .fake(), store: store, software: { SoftwareThreeA(of: $0) })
    await engine.attach(FakeProvider([camera]))
    return (engine, try engine.device("0"))
  }

  @Test func aModeOfTheNodesGoesOnOnceTheControlsCanBeRead() async throws {
    let (first, before) = try await node(FakeCamera.withColorControls())
    var change = SettingsChange()
    change.whiteBalance.mode = .continuous
    _ = try await before.set(change)
    await first.shutDown()
    let camera = FakeCamera.withColorControls()
    camera.state.withLock { $0.listingsUntilFailure = 0 }
    let (second, after) = try await node(camera)
    await eventually("its controls could not be listed") {
      camera.state.withLock { $0.listingsUntilFailure } == nil
    }
    await eventually("the mode goes on") {
      (try? await after.settings())?.whiteBalance?.isSoftware == true
    }
    #expect(await after.knownSettings()?.whiteBalance?.mode == .continuous)
    await second.shutDown()
  }

  /// The modes are set again, and then the camera does not say which values they leave free.
  @Test func whatWasRestoredBeforeIsKnown() async throws {
    let camera = FakeCamera.withColorControls(hasDriversMode: true)
    let (engine, device) = try await node(camera)
    _ = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    for (name, value) in [("brightness", "20"), ("white_balance_automatic", "1")] {
      _ = try await device.set([NamedAssignment(name: name, value: .literal(value))], clamping: false)
    }
    // The camera has reset itself, and that was read.
    camera.state.withLock { $0.values[.autoWhiteBalance] = .integer(0) }
    #expect(try await device.settings().whiteBalance?.mode == .locked)
    camera.state.withLock { $0.listingsUntilFailure = 1 }
    camera.emit(discontinuity: StreamDiscontinuity(.resumed, reason: "restarted"))
    await eventually("the driver's mode is on") {
      camera.state.withLock { $0.values[.autoWhiteBalance] } == .integer(1)
    }
    await eventually("that is known") { await device.knownSettings()?.whiteBalance?.mode == .continuous }
    await engine.shutDown()
  }
}
