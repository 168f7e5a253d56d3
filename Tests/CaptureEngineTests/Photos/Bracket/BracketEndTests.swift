import CaptureControls
import CaptureModel
import CaptureSynthetic
import CaptureTestSupport
import Dispatch
import Testing

@testable import CaptureEngine

/// However a bracket ends, the camera is as it was.
@Suite struct BracketEndTests {
  private static let steps: [BracketStep] = [
    .exposure(duration: 0.002, gain: 4), .exposure(duration: 0.02, gain: 30),
  ]

  /// The values that are there before; automatic modes are on.
  private static func automaticRig() async throws -> (BracketRig, [ControlID: ControlValue?]) {
    let rig = try await BracketRig()
    let before = try await rig.values()
    #expect(before[.autoExposure] != nil && before[.exposureAbsolute] == nil)
    return (rig, before)
  }

  @Test func withItsLastPhotoEverythingIsSetBack() async throws {
    let (rig, before) = try await Self.automaticRig()
    let photos = try await rig.bracket(Self.steps)
    #expect(photos.count == 2)
    #expect(photos[0].photo.metadata == nil || photos[0].photo.metadata?.exposureMode == .custom)
    #expect(try await rig.values() == before)
    #expect(await rig.device.knownSettings()?.exposure?.mode == .continuous)
    #expect(await rig.device.stream == nil)
  }

  @Test func whatWasSetByHandComesBack() async throws {
    let rig = try await BracketRig()
    _ = try await rig.rig.set {
      $0.exposure = .init(duration: 0.0123, gain: 7)
      $0.focus.lensPosition = 0.25
    }
    let before = try await rig.values()
    _ = try await rig.bracket([.lensPosition(0.9), .lensPosition(0.1)])
    #expect(try await rig.values() == before)
    _ = try await rig.bracket([.bias(-1), .bias(1)])
    #expect(try await rig.values() == before)
    let settings = await rig.device.knownSettings()
    #expect(settings?.exposure?.mode == .custom && settings?.exposure?.duration?.value == 0.0123)
  }

  @Test func alsoWhereTheCallIsCancelled() async throws {
    let (rig, before) = try await Self.automaticRig()
    let photos = BracketRig.Photos()
    let task = rig.start(Self.steps, into: photos)
    await eventually("there is a photo") {
      if photos.all.isEmpty { await rig.step() }
      return !photos.all.isEmpty
    }
    // No frame comes: the client has gone.
    task.cancel()
    await #expect(throws: CaptureError.self) { try await task.value }
    #expect(try await rig.values() == before)
    #expect(await rig.device.stream == nil)
  }

  @Test func alsoWhereAPhotoCannotBeDelivered() async throws {
    let (rig, before) = try await Self.automaticRig()
    await #expect(throws: CaptureError.self) {
      _ = try await rig.bracket(Self.steps) { _ throws(CaptureError) in
        throw NodeLimit.unreadPhotoBytes.exceeded("too many wait")
      }
    }
    #expect(try await rig.values() == before)
  }

  @Test func withItsBeginningWhereTooManyChangesWaitForAFrame() async throws {
    let (rig, before) = try await Self.automaticRig()
    await rig.device.fillWithWaitingChanges()
    _ = rig.camera.takeAssignments()
    let photos = BracketRig.Photos()
    let error = await refusal { _ = try await rig.bracket(Self.steps, into: photos) }
    #expect(error?.code == .resourceExhausted && error?.details?.limit == "waitingChangesPerCamera")
    #expect(photos.all.isEmpty)
    #expect(rig.camera.takeAssignments().isEmpty)
    #expect(try await rig.values() == before)
  }

  @Test func alsoWhereTheNodeEnds() async throws {
    let (rig, before) = try await Self.automaticRig()
    let photos = BracketRig.Photos()
    let task = rig.start(Self.steps, into: photos)
    await eventually("there is a photo") {
      if photos.all.isEmpty { await rig.step() }
      return !photos.all.isEmpty
    }
    await rig.rig.engine.shutDown()
    // The node has waited for it.
    let values = try await rig.camera.controls().filter { !$0.flags.contains(.inactive) }.map(\.id)
    #expect(Set(values) == Set(before.keys))
    await #expect(throws: CaptureError.self) { try await task.value }
  }

  /// The white balance is locked by then.
  @Test(arguments: [ControlID.autoFocus, .autoWhiteBalance])
  func aModeThatCannotBeLockedEndsItBeforeAPhoto(mode: ControlID) async throws {
    let (rig, before) = try await Self.automaticRig()
    rig.camera.refuse(CaptureError(.failedPrecondition, "busy"), of: mode)
    let photos = BracketRig.Photos()
    let error = await #expect(throws: CaptureError.self) {
      _ = try await rig.bracket(Self.steps, into: photos)
    }
    let what = mode == .autoFocus ? "focus" : "white balance"
    let text = "the \(what) could not be locked for the bracket, so no photo was taken: busy"
    #expect(error?.message == text)
    #expect(photos.all.isEmpty)
    #expect(!rig.camera.takeAssignments().contains { $0.id == .exposureAbsolute })
    #expect(try await rig.values() == before)
  }

  /// The camera takes the mode of a step, refuses the values, and does not take the mode back at once.
  @Test func alsoWhereAStepIsNotTakenBackAtOnce() async throws {
    let camera = SettingsFaultTests.webcam()
    camera.state.withLock { state in
      state.controls.removeAll { [ControlID.autoFocus, .focusAbsolute].contains($0.id) }
    }
    let device = try await engine(camera).device("0")
    _ = try await device.settings()
    let values = camera.state.withLock(\.current)
    camera.state.withLock { state in
      state.brokenControls = [.exposureAbsolute]
      state.setsUntilFailure = 1
    }
    var request = VideoRequest.rawVGA
    request.settling = .zero
    let wanted = PhotoRequest(request)
    let error = await refusal {
      try await device.run { device in
        try await device.photos.captureBracket(Self.steps, wanted, on: device) { _ in
        } deliver: { _ throws(CaptureError) in
        }
      }
    }
    #expect(error?.message.contains("'auto_exposure' could not be set back") == true)
    #expect(camera.state.withLock(\.current) == values)
  }

  /// As a driver that is bound anew: the camera has kept what a step had set. `hasMemory`: a client has set a control, which is restored once.
  @Test(arguments: [false, true])
  func aCameraThatComesBackWhileAPhotoIsMadeGetsNoMoreStepsAndIsAsItWas(hasMemory: Bool) async throws {
    let (camera, returned) = (SettingsFaultTests.webcam(), SettingsFaultTests.webcam())
    for camera in [camera, returned] {
      camera.state.withLock { state in
        state.controls.removeAll { [ControlID.autoFocus, .focusAbsolute].contains($0.id) }
        state.controls.append(
          ControlDescription(
            id: .brightness, name: "brightness", label: "Brightness", type: .integer, maximum: 255,
            defaultValue: 100))
      }
    }
    returned.state.withLock { state in
      state.values = [
        .autoExposure: .integer(1), .exposureAbsolute: .integer(20), .gain: .integer(4),
      ]
    }
    let (permits, counts) = (DispatchSemaphore(value: 0), FakeEncoder.Counts())
    let engine = CaptureEngine(imaging: .fake(permits: permits, counts: counts))
    let provider = FakeProvider([camera])
    await engine.attach(provider)
    let device = try engine.device("0")
    _ = try await device.settings()
    if hasMemory {
      let brightness = NamedAssignment(name: "brightness", value: .value(.integer(77)))
      _ = try await device.set([brightness], clamping: false)
    }
    var request = VideoRequest.jpegVGA(quality: 50)
    (request.settling, request.hasMetadata) = (.zero, false)
    let wanted = PhotoRequest(request)
    let task = Task {
      try await device.run { device in
        try await device.photos.captureBracket(Self.steps, wanted, on: device) { _ in
        } deliver: { _ throws(CaptureError) in
        }
      }
    }
    await eventually("the first photo is being made") {
      camera.emit()
      return counts.started.withLock { !$0.isEmpty }
    }
    provider.unplug(camera)
    await eventually("it is gone") { await device.camera == nil }
    provider.plug(returned)
    await eventually("it is back") { await device.camera != nil }
    permits.signal()
    #expect(await refusal { try await task.value }?.code == .unavailable)
    await eventually("it is as it was") {
      returned.state.withLock { $0.values[.autoExposure] == .integer(3) && $0.values[.gain] == .integer(1) }
    }
    let second = ControlAssignment(.exposureAbsolute, .integer(200))
    #expect(!returned.state.withLock(\.assignments).contains(second))
    // Whatever restores it has ended then.
    try await device.run { device in
      try await device.gates.settings.enter()
      device.gates.settings.leave()
    }
    let restored = returned.state.withLock(\.assignments).filter { $0.id == .brightness }
    #expect(restored.count == (hasMemory ? 1 : 0))
    await engine.shutDown()
  }

  @Test func aCameraThatIsUnpluggedComesBackAsItWas() async throws {
    let rig = try await BracketRig()
    _ = try await rig.rig.set { $0.exposure = .init(duration: 0.0123, gain: 7) }
    let before = try await rig.values()
    let photos = BracketRig.Photos()
    let task = rig.start(Self.steps, into: photos)
    await eventually("there is a photo") {
      if photos.all.isEmpty { await rig.step() }
      return !photos.all.isEmpty
    }
    rig.rig.provider.unplug(rig.camera)
    await #expect(throws: CaptureError.self) { try await task.value }
    await eventually("it is gone") { await rig.device.camera == nil }
    rig.rig.provider.plug(rig.camera)
    await eventually("it is as it was") { (try? await rig.values()) == before }
  }
}
