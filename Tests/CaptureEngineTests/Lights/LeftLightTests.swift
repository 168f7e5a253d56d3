import CaptureControls
import CaptureModel
import CaptureSystem
import CaptureTestSupport
import Testing

@testable import CaptureEngine

/// The light of a photo whose driver does not switch it off when it is asked to.
@Suite(.timeLimit(.minutes(1))) struct LeftLightTests {
  enum Kind: CaseIterable { case torch, strobe }

  private static func camera(_ kind: Kind) -> FakeCamera {
    let camera = FakeCamera(hasDriver: true)
    let (index, name): (Int64, String) = kind == .torch ? (2, "Torch") : (1, "Flash")
    camera.state.withLock { state in
      state.controls = [
        ControlDescription(
          id: .flashLEDMode, name: "led_mode", label: "LED Mode", type: .menu, maximum: index,
          menu: [.init(index: 0, content: .name("Off")), .init(index: index, content: .name(name))])
      ]
      guard kind == .strobe else { return }
      state.controls.append(
        ControlDescription(id: .flashStrobe, name: "strobe", label: "Strobe", type: .button))
    }
    return camera
  }

  /// Its flash is on, and it streams.
  private static func device(_ engine: CaptureEngine) async throws -> Device {
    let device = try engine.device("0")
    var change = SettingsChange()
    change.flash = .init(mode: .on)
    _ = try await device.set(change)
    _ = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    return device
  }

  private static func photo(_ device: Device) async throws -> Picture {
    var request = VideoRequest.rawVGA
    request.settling = .zero
    let wanted = request
    return try await device.capturePhoto(wanted, requested: MonotonicClock.now(), progress: { _ in })
  }

  private static func ledMode(_ camera: FakeCamera) -> ControlValue? {
    camera.state.withLock(\.current)[.flashLEDMode]
  }

  /// The driver falls silent while the light is on, or while it is asked to switch it off.
  @Test(arguments: Kind.allCases, [false, true])
  func aDriverThatFallsSilentSwitchesItOffOnceItAnswers(_ kind: Kind, _ isAsked: Bool) async throws {
    let camera = Self.camera(kind)
    let engine = await engine(camera)
    let device = try await Self.device(engine)
    let photo = Task { try await Self.photo(device) }
    await eventually("it is lit for a photo that waits for its frame") {
      await device.stream?.hub.consumers.contains { $0 is PhotoConsumer } == true
    }
    #expect(Self.ledMode(camera) != .integer(0))
    if isAsked {
      camera.state.withLock { $0.holdsSetting = true }
      photo.cancel()
      await eventually("it is being switched off") { camera.state.withLock { !$0.heldSetting.isEmpty } }
    }
    camera.fallSilent()
    await engine.checkDrivers()
    await #expect(throws: CaptureError.self) { try await photo.value }

    let done = camera.state.withLock(\.assignments).count
    camera.releaseSetting()
    if isAsked {
      await eventually("the call that nobody waits for is carried out") {
        camera.state.withLock { $0.assignments.count > done }
      }
    }
    camera.answerAgain()
    await engine.checkDrivers()
    await eventually("all is taken up that is to be set back") {
      await device.run { !$0.settings.hasToRestore }
    }
    // Its turn is over.
    await device.run { device in
      await device.gates.settings.enterToCleanUp()
      device.gates.settings.leave()
    }
    #expect(Self.ledMode(camera) == .integer(0))
  }

  /// The camera lights its torch, refuses the level, and does not take the torch back at once.
  @Test func aTorchThatIsNotTakenBackAtOnceIsSwitchedOffAllTheSame() async throws {
    let camera = Self.camera(.torch)
    camera.state.withLock { state in
      state.controls.append(
        ControlDescription(
          id: .torchIntensity, name: "intensity_torch_mode", label: "Intensity", type: .integer,
          maximum: 100, defaultValue: 50))
    }
    let device = try await Self.device(await engine(camera))
    camera.state.withLock { state in
      state.brokenControls = [.torchIntensity]
      state.setsUntilFailure = 1
    }
    let error = await refusal { _ = try await Self.photo(device) }
    #expect(error?.message.contains("'led_mode' could not be set back") == true)
    #expect(Self.ledMode(camera) == .integer(0))
  }
}
