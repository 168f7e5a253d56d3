import CaptureControls
import CaptureModel
import CaptureSynthetic
import CaptureSystem
import CaptureTestSupport
import Glibc
import Testing

@testable import CaptureEngine

/// The node's own modes through the engine, on a camera that has the actuators alone.
@Suite struct SoftwareModesTests {
  @Test func theModesThatTheDriverLacksAreTheNodes() async throws {
    let rig = try await StagedRig()
    let about = try await rig.device.settingsDescription()
    #expect(about.focus?.modes == [.locked, .auto, .continuous])
    #expect(about.focus?.softwareModes == [.auto, .continuous])
    #expect(about.focus?.hasPointOfInterest == true && about.focus?.ranges == [.none, .near, .far])
    #expect(about.exposure?.softwareModes == [.auto, .continuous])
    #expect(about.exposure?.hasPointOfInterest == true && about.exposure?.bias?.maximum == 4)
    #expect(about.whiteBalance?.softwareModes == [.auto, .continuous])
    #expect(about.whiteBalance?.hasGreyWorld == true)
  }

  @Test func focusingOnceEndsLockedOnTheSubject() async throws {
    let rig = try await StagedRig(size: FrameSize(width: 320, height: 240))
    let point = try NormalizedPoint(x: 0.25, y: 0.25)
    let begun = try await rig.set { $0.focus = .init(mode: .auto, point: point) }
    #expect(begun.focus?.mode == .auto && begun.focus?.isAdjusting == true && begun.focus?.isSoftware == true)
    let watch = try await rig.device.watchSettings(["focus.adjusting", "focus.mode"])
    _ = try await watch.next()
    let stream = try await rig.stream()
    let count = await rig.steps(60) { $0.focus?.mode == .locked }
    #expect(count <= 40)
    let focus = try #require(await rig.device.knownSettings()?.focus)
    #expect(!focus.isAdjusting && !focus.isSoftware && focus.point == point)
    let truth = rig.camera.truth.lensPosition(inFocusAt: PhysicsPoint(x: point.x, y: point.y))
    #expect(abs(1 - (focus.lensPosition?.value ?? 9) - truth) < 0.02)
    #expect(try await watch.next()?.keys.contains(.setting(.focusMode)) == true)
    // Frames say so too.
    await rig.step()
    await rig.step()
    #expect(rig.sink.latest?.lensPosition == focus.lensPosition)
    await rig.device.unsubscribe(stream)
  }

  @Test func nothingIsMeasuredWhileNoModeIsOn() async throws {
    let rig = try await StagedRig()
    let stream = try await rig.stream()
    for _ in 0..<10 { await rig.step() }
    #expect(rig.software.measured == 0 && !rig.software.wantsFrames)
    _ = try await rig.set { $0.whiteBalance.mode = .continuous }
    for _ in 0..<10 { await rig.step() }
    #expect(rig.software.measured == 10)
    _ = try await rig.set { $0.whiteBalance.mode = .locked }
    for _ in 0..<10 { await rig.step() }
    #expect(rig.software.measured == 10 && !rig.software.wantsFrames)
    await rig.device.unsubscribe(stream)
  }

  @Test func whatIsSetByHandStays() async throws {
    let rig = try await StagedRig()
    let stream = try await rig.stream()
    _ = try await rig.set { change in
      change.focus.mode = .continuous
      change.exposure.mode = .continuous
    }
    for _ in 0..<6 { await rig.step() }
    let set = try await rig.set { $0.focus.lensPosition = 0.5 }
    #expect(set.focus?.mode == .locked && set.focus?.isSoftware == false)
    _ = rig.camera.takeAssignments()
    for _ in 0..<40 { await rig.step() }
    #expect(!rig.camera.takeAssignments().contains { $0.id == .focusAbsolute })
    let settings = try #require(await rig.device.knownSettings())
    #expect(abs((settings.focus?.lensPosition?.value ?? 0) - 0.5) < 0.001)
    #expect(settings.exposure?.mode == .continuous && settings.exposure?.isSoftware == true)
    #expect(settings.exposure?.isAdjusting == false)
    #expect(abs(settings.exposure?.targetOffset?.value ?? 9) <= 0.1)
    let custom = try await rig.set { $0.exposure.duration = 0.01 }
    #expect(custom.exposure?.mode == .custom && custom.exposure?.isSoftware == false)
    #expect(!rig.software.wantsFrames)
    await rig.device.unsubscribe(stream)
  }

  @Test func continuousFocusSearchesAgainWhenTheSceneChanges() async throws {
    let rig = try await StagedRig(size: FrameSize(width: 320, height: 240))
    rig.camera.changeWorld { world in
      world.subject = PhysicsPoint(x: 0.5, y: 0.5)
      world.subjectDistance = 2
    }
    let stream = try await rig.stream()
    _ = try await rig.set { $0.focus.mode = .continuous }
    _ = await rig.steps(60) { $0.focus?.isAdjusting == false }
    rig.camera.changeWorld { $0.subjectDistance = 0.22 }
    let restarted = await rig.steps(40) { $0.focus?.isAdjusting == true }
    #expect(restarted < 40)
    #expect(await rig.steps(60) { $0.focus?.isAdjusting == false } <= 41)
    for _ in 0..<6 { await rig.step() }
    let truth = rig.camera.truth.lensPosition(inFocusAt: PhysicsPoint(x: 0.5, y: 0.5))
    #expect(abs(try #require(rig.camera.truth.latest).lensPosition - truth) < 0.02)
    await rig.device.unsubscribe(stream)
  }

  /// It judged the frame that came next, found nothing to correct, and ended with what was on its way.
  @Test(arguments: 0...5) func aSearchJudgesNoFrameFromBeforeTheSettingsItBeginsWith(delay: Int) async throws
  {
    for (isCalibrated, isMode) in [(true, false), (false, false), (false, true)] {
      func balance(_ change: inout SettingsChange) {
        if isMode { change.whiteBalance.mode = .auto } else { change.whiteBalance.colour = .greyWorld }
      }
      let rig = try await StagedRig(.manual(delay: delay), isCalibrated: isCalibrated)
      let stream = try await rig.stream()
      _ = try await rig.set { change in
        change.exposure.mode = .auto
        balance(&change)
      }
      _ = await rig.steps(200) { $0.exposure?.mode == .locked && $0.whiteBalance?.mode == .locked }
      let right = try #require(rig.sink.latest)
      _ = try await rig.set { change in
        change.exposure.duration = 1.0 / 2000
        change.whiteBalance.colour = .temperature(TemperatureAndTint(temperature: 2500))
      }
      _ = try await rig.set { change in
        change.exposure.mode = .auto
        balance(&change)
      }
      _ = await rig.steps(200) { $0.exposure?.mode == .locked && $0.whiteBalance?.mode == .locked }
      for _ in 0..<8 { await rig.step() }
      let again = try #require(rig.sink.latest)
      func amount(_ frame: FrameSettings) -> Double {
        (frame.exposureDuration?.value ?? 0) * (1 + (frame.gain?.value ?? 0) / 17)
      }
      #expect(abs(log2(amount(again) / amount(right))) < 0.15, "calibrated: \(isCalibrated)")
      let gains = (right.whiteBalanceGains?.value, again.whiteBalanceGains?.value)
      let (old, new) = (try #require(gains.0), try #require(gains.1))
      #expect(
        abs(new.red / old.red - 1) < 0.04 && abs(new.blue / old.blue - 1) < 0.04,
        "calibrated: \(isCalibrated): \(old), \(new)")
      await rig.device.unsubscribe(stream)
    }
  }

  @Test(arguments: [0, 3]) func whatIsNotFoundIsAsItWasAndSaid(delay: Int) async throws {
    var options = PhysicsOptions.manual(delay: delay)
    options.light = -16
    let rig = try await StagedRig(options, isCalibrated: false)
    let stream = try await rig.stream()
    _ = try await rig.set { change in
      change.exposure.duration = 0.01
      change.exposure.gain = 16
      change.whiteBalance.colour = .temperature(TemperatureAndTint(temperature: 4000))
      change.focus.lensPosition = 0.25
    }
    let before = try #require(await rig.device.knownSettings())
    _ = try await rig.set { change in
      change.exposure.mode = .auto
      change.whiteBalance.colour = .greyWorld
      change.focus.mode = .auto
    }
    _ = await rig.steps(800) {
      $0.exposure?.mode == .locked && $0.whiteBalance?.mode == .locked && $0.focus?.mode == .locked
    }
    let after = try #require(await rig.device.knownSettings())
    #expect(after.exposure?.failure?.contains("too dark") == true, "\(String(describing: after.exposure))")
    #expect(
      after.exposure?.duration == before.exposure?.duration && after.exposure?.gain == before.exposure?.gain)
    #expect(after.whiteBalance?.failure?.contains("what grey is") == true)
    #expect(after.whiteBalance?.gains == before.whiteBalance?.gains)
    #expect(after.whiteBalance?.temperature == before.whiteBalance?.temperature)
    #expect(after.whiteBalance?.tint == nil)
    await eventually("what tells the light is kept last") {
      await rig.device.memory.controls.entries.last {
        [.whiteBalanceTemperature, .redBalance].contains($0.id)
      }?
      .id == .whiteBalanceTemperature
    }
    #expect(after.focus?.failure?.contains("nothing around the point") == true)
    #expect(after.focus?.lensPosition == before.focus?.lensPosition)
    let asked = try await rig.set { change in
      change.exposure.mode = .auto
      change.focus.lensPosition = 0.5
      change.whiteBalance.mode = .continuous
    }
    #expect(
      asked.exposure?.failure == nil && asked.focus?.failure == nil && asked.whiteBalance?.failure == nil)
    await rig.device.unsubscribe(stream)
  }

  /// Too dark, and too bright: of a camera whose delays were measured it is said as well.
  @Test(arguments: [0, 3], [(-16.0, "too dark"), (14.0, "too bright")])
  func whatACalibratedCameraCannotReachIsAsItWasAndSaid(delay: Int, _ light: (ev: Double, reason: String))
    async throws
  {
    var options = PhysicsOptions.manual(delay: delay)
    options.light = light.ev
    let rig = try await StagedRig(options)
    let stream = try await rig.stream()
    _ = try await rig.set { change in
      change.exposure = .init(duration: 0.01, gain: 16)
      change.whiteBalance.colour = .temperature(TemperatureAndTint(temperature: 4000))
    }
    let before = try #require(await rig.device.knownSettings())
    _ = try await rig.set { change in
      change.exposure.mode = .auto
      change.whiteBalance.colour = .greyWorld
    }
    let count = await rig.steps(200) {
      $0.exposure?.mode == .locked && $0.whiteBalance?.mode == .locked && !rig.software.wantsFrames
    }
    let after = try #require(await rig.device.knownSettings())
    #expect(count < 200 && after.exposure?.failure?.hasPrefix(light.reason) == true, "\(after)")
    #expect(
      after.exposure?.duration == before.exposure?.duration && after.exposure?.gain == before.exposure?.gain)
    #expect(after.whiteBalance?.failure?.contains("what grey is") == true, "\(after)")
    #expect(after.whiteBalance?.gains == before.whiteBalance?.gains)
    // Continuous has the nearest, and says nothing.
    _ = try await rig.set { $0.exposure.mode = .continuous }
    _ = await rig.steps(60) { $0.exposure?.isAdjusting == false }
    let nearest = try #require(await rig.device.knownSettings()?.exposure)
    #expect(nearest.mode == .continuous && !nearest.isAdjusting && nearest.failure == nil, "\(nearest)")
    #expect(nearest.duration != before.exposure?.duration)
    await rig.device.unsubscribe(stream)
  }

  /// The control for the temperature keeps its number meanwhile: a mode of the node's takes over nothing from it.
  @Test func gainsThatAnotherSearchFindsRightTellTheLightStill() async throws {
    var options = PhysicsOptions.manual(delay: 1)
    options.illuminant = 4000
    let rig = try await StagedRig(options)
    let stream = try await rig.stream()
    _ = try await rig.set { $0.whiteBalance.colour = .temperature(TemperatureAndTint(temperature: 2500)) }
    _ = try await rig.set { change in
      change.exposure.mode = .auto
      change.whiteBalance.colour = .greyWorld
    }
    _ = await rig.steps(200) { $0.exposure?.mode == .locked && $0.whiteBalance?.mode == .locked }
    let begun = try await rig.set { $0.whiteBalance.mode = .auto }
    #expect(begun.whiteBalance?.temperature?.provenance == .derived, "\(begun)")
    #expect(await rig.steps(200) { $0.whiteBalance?.mode == .locked } < 200)
    let found = try #require(await rig.device.knownSettings()?.whiteBalance)
    let temperature = try #require(found.temperature)
    #expect(temperature.value > 3000 && temperature.provenance == .derived, "\(found)")
    await eventually("what tells the light is kept last") {
      await rig.device.memory.controls.gainsWereSetLast == true
    }
    await rig.device.unsubscribe(stream)

    _ = rig.camera.takeAssignments()
    await rig.restart(with: rig.device.memory)
    var restored: Set<ControlID> = []
    await eventually("all of it is set again") {
      restored.formUnion(rig.camera.takeAssignments().map(\.id))
      return restored.isSuperset(of: [.whiteBalanceTemperature, .redBalance, .blueBalance])
    }
    let again = try await rig.device.settings().whiteBalance
    #expect(again?.gains?.value == found.gains?.value && again?.temperature == temperature)
  }

  @Test func aDelayThatWasSeenIsKnownFromThenOn() async throws {
    let rig = try await StagedRig(.manual(delay: 4), isCalibrated: false)
    let stream = try await rig.stream()
    func search() async throws -> Int {
      _ = try await rig.set { $0.exposure = .init(duration: 1.0 / 2000, gain: 0) }
      _ = try await rig.set { $0.exposure.mode = .auto }
      return await rig.steps(100) { $0.exposure?.mode == .locked }
    }
    let first = try await search()
    // Seen once, it is not yet believed to be shorter.
    let assumed = ControlDelay(frames: 5, provenance: .assumed)
    #expect(await rig.device.delays[.exposureAbsolute] == assumed)
    _ = try await search()
    #expect(await rig.device.delays[.exposureAbsolute] == ControlDelay(frames: 4, provenance: .observed))
    #expect(await rig.device.delays[.focusAbsolute] == assumed)
    #expect(try await search() < first)
    // What is measured goes before it.
    await rig.device.setDelay(MeasuredDelay(frames: 2, agreeing: 8, trials: 8), of: .exposureAbsolute)
    #expect(await rig.device.delays[.exposureAbsolute] == ControlDelay(frames: 2, provenance: .calibrated))
    await rig.device.unsubscribe(stream)
  }

  @Test func resettingIsContinuousAtTheCentre() async throws {
    let rig = try await StagedRig()
    let before = try await rig.device.settings().whiteBalance?.mode
    _ = try await rig.set { change in
      change.focus = .init(mode: .auto, point: try! NormalizedPoint(x: 0.2, y: 0.3), range: .near)
      change.exposure = .init(mode: .auto, point: try! NormalizedPoint(x: 0.2, y: 0.3), bias: 2)
    }
    let settings = try await rig.device.resetSettings().settings
    #expect(settings.focus?.mode == .continuous && settings.focus?.point == .center)
    #expect(settings.focus?.range == FocusRange.none && settings.focus?.isSoftware == true)
    #expect(settings.exposure?.mode == .continuous && settings.exposure?.point == .center)
    #expect(settings.exposure?.bias == 0 && before != nil && settings.whiteBalance?.mode == before)
  }

  @Test func aCamerasOwnModeIsUsedUntilAPointIsAskedFor() async throws {
    let rig = try await StagedRig(PhysicsOptions())
    let own = try await rig.set { $0.exposure.mode = .continuous }
    #expect(own.exposure?.isSoftware == false && !rig.software.wantsFrames)
    let point = try NormalizedPoint(x: 0.2, y: 0.3)
    let metered = try await rig.set { $0.exposure.point = point }
    #expect(metered.exposure?.isSoftware == true && metered.exposure?.mode == .continuous)
    #expect(rig.camera.takeAssignments().contains { $0.id == .autoExposure && $0.value == .integer(1) })
    let near = try await rig.set { $0.focus.range = .near }
    #expect(near.focus?.isSoftware == true && near.focus?.mode == .continuous)
    #expect(rig.camera.takeAssignments().contains { $0.id == .autoFocus && $0.value == .integer(0) })
    // The camera's bias has nothing to bias now.
    #expect(try await rig.set { $0.exposure.bias = 1 }.exposure?.bias == 1)
    let back = try await rig.device.resetSettings().settings
    #expect(back.exposure?.isSoftware == false && back.focus?.isSoftware == false)
    #expect(back.exposure?.mode == .continuous && back.focus?.mode == .continuous)
    #expect(back.exposure?.bias == 0 && back.exposure?.point == .center)
    #expect(!rig.software.wantsFrames)
  }

  @Test func aModeGoesOnWhenTheCameraReturns() async throws {
    let rig = try await StagedRig()
    let point = try NormalizedPoint(x: 0.2, y: 0.3)
    _ = try await rig.set { change in
      change.focus = .init(mode: .continuous, point: point)
      change.whiteBalance.mode = .auto
    }
    #expect(await rig.device.memory.software?.request.focus?.point == point)
    let other = try await StagedRig()
    await other.restart(with: rig.device.memory)
    await eventually("focus goes on") { await other.device.knownSettings()?.focus?.isSoftware == true }
    let settings = try #require(await other.device.knownSettings())
    #expect(settings.focus?.mode == .continuous && settings.focus?.point == point)
    #expect(settings.whiteBalance?.isSoftware == false)
    _ = try await other.set { $0.focus.mode = .locked }
    let off = await other.device.memory.software?.request.focus
    #expect(off?.mode == nil && off?.point == point)
  }

  @Test func whatItWasAskedForLastsWhileItsModesAreOff() async throws {
    let rig = try await StagedRig()
    _ = try await rig.set { change in
      change.focus = .init(mode: .locked, range: .near)
      change.exposure = .init(mode: .continuous, bias: 1.5)
    }
    _ = try await rig.set { $0.exposure.mode = .custom }
    let restarted = try await StagedRig()
    await restarted.restart(with: rig.device.memory)
    await eventually("the range is known") {
      await restarted.device.knownSettings()?.focus?.range == .near
    }
    let metered = try await restarted.set { $0.exposure.mode = .continuous }
    #expect(metered.exposure?.isSoftware == true && metered.exposure?.bias == 1.5)
    #expect(metered.focus?.mode == .locked && metered.focus?.isSoftware == false)
  }

  @Test(.timeLimit(.minutes(1))) func aModeOfTheNodeIsHadByTheFirstFrameAfterIt() async throws {
    let size = FrameSize(width: 160, height: 120)
    let engine = CaptureEngine(imaging: .standard, software: { SoftwareThreeA(of: $0) })
    await engine.attach(
      SyntheticProvider(cameras: [
        .physics(.manual(delay: 0), size: size, interval: FrameInterval(rate: 60)!)
      ]))
    let device = try engine.device("0")
    // Those it gets it keeps: with more of them the camera had no buffer left.
    let sink = TestSink(credit: 3)
    let stream = try await device.subscribe(
      VideoRequest(encoding: .raw, pixelFormat: .yuyv, size: size), sink: sink, holder: "test")
    await eventually("frames come") { sink.received.count > 2 }
    var change = SettingsChange()
    change.exposure.point = try NormalizedPoint(x: 0.2, y: 0.2)
    let asked = MonotonicClock.now()
    let set = try await device.set(change)
    #expect(try #require(try await device.awaitChange(set.change).frame).timestamp > asked)
    await device.unsubscribe(stream)
    await engine.shutDown()
  }

  @Test func aCameraThatGivesJPEGsIsFocusedToo() async throws {
    let rig = try await StagedRig(size: FrameSize(width: 640, height: 480), isJPEG: true)
    let point = try NormalizedPoint(x: 0.25, y: 0.25)
    let stream = try await rig.stream()
    _ = try await rig.set { $0.focus = .init(mode: .auto, point: point) }
    #expect(await rig.steps(60) { $0.focus?.mode == .locked } <= 40)
    let truth = rig.camera.truth.lensPosition(inFocusAt: PhysicsPoint(x: point.x, y: point.y))
    #expect(abs(try #require(rig.camera.truth.latest).lensPosition - truth) < 0.02)
    await rig.device.unsubscribe(stream)
  }

  @Test func aControlThatIsSetItselfEndsItsMode() async throws {
    let rig = try await StagedRig()
    let stream = try await rig.stream()
    _ = try await rig.set { change in
      change.focus.mode = .continuous
      change.whiteBalance.mode = .continuous
    }
    for _ in 0..<6 { await rig.step() }
    _ = try await rig.device.set(
      [NamedAssignment(name: "focus_absolute", value: .literal("300"))], clamping: false)
    for _ in 0..<20 { await rig.step() }
    let settings = try #require(await rig.device.knownSettings())
    #expect(settings.focus?.mode == .locked && settings.focus?.isSoftware == false)
    #expect(settings.whiteBalance?.isSoftware == true)
    #expect(rig.camera.truth.latest.map { abs($0.lensTarget - 300.0 / 1023) < 1e-9 } == true)
    await rig.device.unsubscribe(stream)
  }

  @Test func aPhotoOfACameraAtRestLooksAtTheSceneAndMovesNothingThatWasFound() async throws {
    let rig = try await StagedRig()
    let stream = try await rig.stream()
    _ = try await rig.set { $0.focus.mode = .continuous }
    _ = await rig.steps(100) { $0.focus?.isAdjusting == false }
    await rig.device.unsubscribe(stream)
    let measured = rig.software.measured
    _ = rig.camera.takeAssignments()
    let (camera, device) = (rig.camera, rig.device)
    // A frame that comes before the photo waits for one is not the last.
    _ = try await outcome {
      try await device.capturePhoto(VideoRequest(encoding: .raw), requested: 0) { _ in }
    } while: {
      camera.step()
    }
    #expect(rig.software.measured >= measured + 5 && camera.takeAssignments().isEmpty)
    #expect(await device.knownSettings()?.focus?.isAdjusting == false)
  }

  @Test func aFormatThatCannotBeMeasuredEndsTheMode() async throws {
    let camera = FakeCamera(formats: [FakeCamera.format(.rggb8, ["640x480": [30]])])
    camera.state.withLock {
      $0.controls = [
        ControlDescription(
          id: .focusAbsolute, name: "focus_absolute", label: "Focus", type: .integer, maximum: 100)
      ]
    }
    let engine = CaptureEngine(imaging: .standard, software: { SoftwareThreeA(of: $0) })
    await engine.attach(FakeProvider([camera]))
    let device = try engine.device("0")
    var change = SettingsChange()
    change.focus.mode = .continuous
    #expect(try await device.set(change).settings.focus?.isSoftware == true)
    let stream = try await device.subscribe(
      VideoRequest(encoding: .raw), sink: TestSink(), holder: "test")
    camera.emit()
    await eventually("it ends") { await device.knownSettings()?.focus?.mode == .locked }
    await eventually("it says why") {
      await device.status().lastError.contains("cannot be measured")
    }
    await device.unsubscribe(stream)
  }

  @Test func aChangeThatTheDriverRefusesLeavesTheModeAsItWas() async throws {
    let rig = try await StagedRig(PhysicsOptions())
    rig.camera.refuse(CaptureError(.failedPrecondition, "busy"))
    await #expect(throws: CaptureError.self) { try await rig.set { $0.focus.mode = .auto } }
    #expect(!rig.software.wantsFrames)
    #expect(await rig.device.knownSettings()?.focus?.isSoftware != true)
  }

  @Test func aDriverThatRefusesWhatIsFoundEndsTheMode() async throws {
    let rig = try await StagedRig()
    let stream = try await rig.stream()
    _ = try await rig.set { $0.focus.mode = .continuous }
    rig.camera.refuse(CaptureError(.failedPrecondition, "busy"))
    let count = await rig.steps(30) { $0.focus?.mode == .locked }
    #expect(count < 30 && !rig.software.wantsFrames)
    await rig.device.unsubscribe(stream)
  }
}
