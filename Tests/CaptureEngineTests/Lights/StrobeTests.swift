import CaptureControls
import CaptureModel
import CaptureSystem
import CaptureTestSupport
import Testing

@testable import CaptureEngine

/// A flash that the driver fires: V4L2's flash class.
@Suite struct StrobeTests {
  private static func flashing(source: Int64 = 0, timeout: Int64 = 20_000) -> FakeCamera {
    let camera = FakeCamera()
    func item(_ index: Int64, _ name: String) -> ControlDescription.MenuItem {
      ControlDescription.MenuItem(index: index, content: .name(name))
    }
    camera.state.withLock { state in
      state.controls = [
        ControlDescription(
          id: .flashLEDMode, name: "led_mode", label: "LED Mode", type: .menu, maximum: 2,
          menu: [item(0, "Off"), item(1, "Flash"), item(2, "Torch")]),
        ControlDescription(
          id: .flashStrobeSource, name: "strobe_source", label: "Strobe Source", type: .menu, maximum: 1,
          defaultValue: source, menu: [item(0, "Software"), item(1, "External")]),
        ControlDescription(id: .flashStrobe, name: "strobe", label: "Strobe", type: .button),
        ControlDescription(id: .flashStrobeStop, name: "stop_strobe", label: "Stop Strobe", type: .button),
        ControlDescription(
          id: .flashTimeout, name: "strobe_timeout", label: "Strobe Timeout", type: .integer,
          minimum: 1000, maximum: 500_000, defaultValue: timeout),
        ControlDescription(
          id: .flashIntensity, name: "intensity_flash_mode", label: "Intensity", type: .integer,
          maximum: 100, defaultValue: 100),
      ]
    }
    return camera
  }

  private static func flash(_ mode: LightMode, level: Double? = nil) -> SettingsChange {
    var change = SettingsChange()
    change.flash = .init(mode: mode, level: level)
    return change
  }

  private static func sets(_ camera: FakeCamera) -> [String] {
    camera.state.withLock { state in
      defer { state.assignments = [] }
      return state.assignments.map { assignment in
        let name = state.controls.first { $0.id == assignment.id }?.name ?? "?"
        return "\(name)=\(assignment.value.number ?? -1)"
      }
    }
  }

  /// Takes a photo while frames come.
  private static func photo(_ camera: FakeCamera, _ device: Device) async throws -> Picture {
    try await outcome {
      try await device.capturePhoto(.rawVGA, requested: MonotonicClock.now(), progress: { _ in })
    } while: {
      camera.emit()
    }
  }

  @Test func aPhotoFiresItAndAllIsPutBack() async throws {
    let camera = Self.flashing()
    let device = try await engine(camera).device("0")
    let flash = try await device.settingsDescription().flash
    #expect(flash?.modes == [.off, .on, .auto] && flash?.softwareModes == [.auto])
    #expect(flash?.source == "V4L2 flash controls")
    let set = try await device.set(Self.flash(.on, level: 0.5)).settings.flash
    #expect(set?.mode == .on && set?.isSoftware == false && set?.level?.value == 0.5)
    #expect(Self.sets(camera) == ["intensity_flash_mode=50"])
    _ = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    _ = Self.sets(camera)
    let photo = try await Self.photo(camera, device)
    #expect(photo.description.flash == .fired)
    // It lasts for the frame that is being exposed, and the next.
    #expect(
      Self.sets(camera) == [
        "led_mode=1", "strobe_timeout=83334", "strobe=0", "stop_strobe=0", "led_mode=0",
        "strobe_timeout=20000",
      ])
    #expect(await device.knownSettings()?.flash?.mode == .on)
    let off = try await device.set(Self.flash(.off)).settings.flash
    #expect(off?.mode == .off)
    #expect(try await Self.photo(camera, device).description.flash == nil)
    #expect(Self.sets(camera).isEmpty)
  }

  @Test func whereTooManyChangesWaitForAFrameItIsNotMadeReady() async throws {
    let camera = Self.flashing()
    let device = try await engine(camera).device("0")
    _ = try await device.set(Self.flash(.on))
    _ = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    await device.fillWithWaitingChanges()
    _ = Self.sets(camera)
    let last = await device.lastChange
    var request = VideoRequest.rawVGA
    request.settling = .zero
    let wanted = request
    let error = await refusal {
      _ = try await device.capturePhoto(wanted, requested: MonotonicClock.now(), progress: { _ in })
    }
    #expect(error?.code == .resourceExhausted && error?.details?.limit == "waitingChangesPerCamera")
    #expect(Self.sets(camera).isEmpty)
    #expect(await device.lastChange == last)
  }

  @Test func aSensorThatFiresItDoesSoWhileTheFlashIsReady() async throws {
    let camera = Self.flashing(source: 1)
    let device = try await engine(camera).device("0")
    _ = try await device.set(Self.flash(.on))
    _ = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    #expect(try await Self.photo(camera, device).description.flash == .fired)
    #expect(Self.sets(camera) == ["led_mode=1", "led_mode=0"])
  }

  @Test func whatFailsInBetweenIsPutBack() async throws {
    let camera = Self.flashing(timeout: 300_000)
    let device = try await engine(camera).device("0")
    _ = try await device.set(Self.flash(.on))
    _ = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    _ = Self.sets(camera)
    camera.state.withLock { $0.brokenControls = [.flashStrobe] }
    await #expect(throws: CaptureError.self) { try await Self.photo(camera, device) }
    #expect(Self.sets(camera) == ["led_mode=1", "stop_strobe=0", "led_mode=0"])
    // One that is over already need not be stopped.
    camera.state.withLock { $0.brokenControls = [.flashStrobeStop] }
    #expect(try await Self.photo(camera, device).description.flash == .fired)
    #expect(Self.sets(camera) == ["led_mode=1", "strobe=0", "led_mode=0"])
    #expect(await device.status().lastError.isEmpty)
    // What cannot be put back is told.
    camera.state.withLock { $0.brokenControls = [.flashTimeout] }
    let timeout = NamedAssignment(name: "strobe_timeout", value: .value(.integer(300_000)))
    await #expect(throws: CaptureError.self) { try await device.set([timeout], clamping: false) }
  }

  /// One control has both lights.
  @Test func aTorchThatIsOnShinesAgainAfterThePhoto() async throws {
    let camera = Self.flashing()
    let device = try await engine(camera).device("0")
    var torch = SettingsChange()
    torch.torch = .init(mode: .on)
    _ = try await device.set(torch)
    _ = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    _ = Self.sets(camera)
    var request = VideoRequest.rawVGA
    request.flash = .on
    let wanted = request
    let photo = try await outcome {
      try await device.capturePhoto(wanted, requested: MonotonicClock.now(), progress: { _ in })
    } while: {
      camera.emit()
    }
    #expect(photo.description.flash == .fired)
    #expect(
      Self.sets(camera) == [
        "led_mode=1", "strobe_timeout=83334", "strobe=0", "stop_strobe=0", "led_mode=2",
        "strobe_timeout=20000",
      ])
    let settings = await device.knownSettings()
    #expect(settings?.torch?.mode == .on && settings?.flash?.mode == .off)
  }

  /// The flash that is ready stays so for the photo.
  @Test func aTorchThatAClientSwitchesOffMeanwhileStaysOff() async throws {
    let camera = Self.flashing()
    let device = try await engine(camera).device("0")
    var torch = SettingsChange()
    torch.torch = .init(mode: .on)
    _ = try await device.set(torch)
    _ = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    _ = Self.sets(camera)
    var request = VideoRequest.rawVGA
    request.flash = .on
    request.settling = .zero
    let wanted = request
    let photo = Task {
      try await device.capturePhoto(wanted, requested: MonotonicClock.now(), progress: { _ in })
    }
    await eventually("it waits for its lit frame") {
      await device.stream?.hub.consumers.contains { $0 is PhotoConsumer } == true
    }
    torch.torch = .init(mode: .off)
    _ = try await device.set(torch)
    let taken = try await outcome {
      try await photo.value
    } while: {
      camera.emit()
    }
    #expect(taken.description.flash == .fired)
    #expect(
      Self.sets(camera) == [
        "led_mode=1", "strobe_timeout=83334", "strobe=0", "stop_strobe=0", "led_mode=0",
        "strobe_timeout=20000",
      ])
    let settings = await device.knownSettings()
    #expect(settings?.torch?.mode == .off && settings?.flash?.mode == .off)
    // The next stream does not light it either.
    let kept = await device.memory.controls.entries.first { $0.id == .flashLEDMode }
    #expect(kept?.value == .integer(0))
  }

  @Test func torchAndFlashExcludeEachOther() async throws {
    let camera = Self.flashing()
    let device = try await engine(camera).device("0")
    var torch = SettingsChange()
    torch.torch = .init(mode: .on)
    _ = try await device.set(torch)
    let flash = try await device.set(Self.flash(.on)).settings
    #expect(flash.flash?.mode == .on && flash.torch?.mode == .off)
    #expect(Self.sets(camera) == ["led_mode=2", "led_mode=0"])
    // Ready by hand.
    _ = try await device.set(
      [NamedAssignment(name: "led_mode", value: .value(.integer(1)))], clamping: false)
    #expect(await device.knownSettings()?.flash?.mode == .on)
    let lit = try await device.set(torch).settings
    #expect(lit.torch?.mode == .on && lit.flash?.mode == .off)
    #expect(Self.sets(camera) == ["led_mode=1", "led_mode=2"])
  }

  @Test func aLampAndTheDriversFlashExcludeEachOther() async throws {
    let camera = Self.flashing()
    camera.state.withLock { state in
      state.controls[0].menu.removeLast()
      state.controls[0].maximum = 1
    }
    let device = try await engine(camera).device("0")
    let lamp = TestLamp()
    await device.installLamp(lamp)
    var torch = SettingsChange()
    for light in [SettingsChange.Light(mode: .on), .init(level: 0.5)] {
      #expect(try await device.set(Self.flash(.auto)).settings.flash?.mode == .auto)
      torch.torch = light
      let lit = try await device.set(torch).settings
      #expect(lit.torch?.mode == .on && lit.flash?.mode == .off && lamp.state.withLock { $0.level } > 0)
      let flash = try await device.set(Self.flash(.on)).settings
      #expect(flash.torch?.mode == .off && flash.flash?.mode == .on && lamp.state.withLock { $0.level } == 0)
    }
  }
}
