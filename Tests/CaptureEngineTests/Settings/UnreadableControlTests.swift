import CaptureControls
import CaptureModel
import CaptureSystem
import CaptureTestSupport
import Synchronization
import Testing

@testable import CaptureEngine

/// A camera of which some controls cannot be read, or are missing from its list: that takes no other control from anybody.
@Suite(.timeLimit(.minutes(1))) struct UnreadableControlTests {
  private let camera = SettingsFaultTests.webcam()
  private let notices = Notices()
  private let engine: CaptureEngine
  private let device: Device

  private final class Notices: Sendable {
    private let all = Mutex<[CameraNotice]>([])
    func add(_ notice: CameraNotice) { all.withLock { $0.append(notice) } }
    var ofFailures: [CameraNotice] { all.withLock { $0 }.filter { $0.kind == .controlFailing } }
    var ofControls: [String] { ofFailures.map(\.text) }
  }

  init() async throws {
    engine = CaptureEngine(imaging: .fake()) { [notices] notice in notices.add(notice) }
    await engine.attach(FakeProvider([camera]))
    device = try engine.device("0")
  }

  /// From now on these cannot be read.
  private func breakReading(of ids: ControlID..., error: CaptureError? = nil) {
    camera.state.withLock { state in
      state.unreadableControls = Set(ids)
      if let error { state.readingError = error }
    }
  }

  /// The controls of each reading since the last call.
  private func readings() -> [[ControlID]] {
    camera.state.withLock { state in
      defer { state.readings = [] }
      return state.readings
    }
  }

  private func setGain(_ gain: Double) async throws -> SettingsOutcome {
    var change = SettingsChange()
    change.exposure.gain = gain
    return try await device.set(change)
  }

  private static let all: [ControlID] = [.gain, .autoExposure, .exposureAbsolute, .focusAbsolute, .autoFocus]

  // MARK: Reading

  @Test func allElseIsDescribedAndRead() async throws {
    breakReading(of: .gain)
    #expect(try await device.settingsDescription().exposure?.gain?.maximum == 255)
    let settings = try await device.settings()
    #expect(settings.exposure?.gain == nil && settings.exposure?.mode == .continuous)
    #expect(settings.exposure?.duration?.value == 0.01 && settings.focus?.lensPosition != nil)
    let controls = try await device.controls()
    #expect(controls.count == 5 && controls.filter { $0.value == nil }.map { $0.control.id } == [.gain])
  }

  @Test func whatCouldBeReadAMomentAgoHasNoValueUntilItCanBeReadAgain() async throws {
    camera.state.withLock { $0.values[.gain] = .integer(9) }
    #expect(try await device.settings().exposure?.gain?.value == 9)
    breakReading(of: .gain)
    #expect(try await device.settings().exposure?.gain == nil)
    #expect(await device.knownSettings()?.exposure?.gain == nil)
    breakReading()
    #expect(try await device.settings().exposure?.gain?.value == 9)
  }

  /// Whether the lens is where it was last seen nobody knows.
  @Test func aModeThatCannotBeReadMayBeTheAutomaticOne() async throws {
    camera.state.withLock { $0.values[.autoFocus] = .integer(0) }
    #expect(try await device.settings().focus?.mode == .locked)
    breakReading(of: .autoFocus)
    let focus = try #require(try await device.settings().focus)
    #expect(focus.mode == .continuous && focus.lensPosition?.provenance == .unknown)
    // The switch is set, whatever it was.
    var change = SettingsChange()
    change.focus.mode = .locked
    _ = try await device.set(change)
    #expect(camera.state.withLock(\.assignments) == [ControlAssignment(.autoFocus, .integer(0))])
  }

  @Test func itIsToldOnceAndReadSinglyFromThenOn() async throws {
    breakReading(of: .gain)
    _ = try await device.settings()
    let others = Self.all.filter { $0 != .gain }
    #expect(readings().first == Self.all)
    _ = try await device.settings()
    #expect(readings() == [others, [.gain]])
    #expect(notices.ofControls == ["the camera does not answer; it has no value until it can be read"])
    breakReading()
    _ = try await device.settings()
    _ = readings()
    _ = try await device.settings()
    #expect(readings() == [Self.all])
  }

  /// A log leaves out what comes within a second of another notice of its kind.
  @Test func eachControlThatFailsIsToldAndIsOfAKindOfItsOwn() async throws {
    camera.state.withLock { $0.controlFailures = ["control 0x980900 is left out: Broken pipe"] }
    breakReading(of: .gain, .focusAbsolute)
    _ = try await device.settings()
    #expect(notices.ofFailures.count == 3 && Set(notices.ofFailures.map(\.logKind)).count == 3)
  }

  /// As one that names the programs that use the camera.
  @Test func aFailureWhoseTextChangesIsToldOnce() async throws {
    for user in ["obs", "cheese", "vlc"] {
      breakReading(
        of: .gain, error: CaptureError(.failedPrecondition, "it is in use by \(user)", cause: .busy))
      _ = try await device.settings()
    }
    #expect(notices.ofFailures.count == 1)
    breakReading(of: .gain, error: CaptureError(.unavailable, "it stalls", cause: .brokenPipe))
    _ = try await device.settings()
    #expect(notices.ofFailures.count == 2)
  }

  @Test(arguments: [
    CaptureError(.unavailable, "it was unplugged", .init(.cameraUnplugged)),
    CaptureError(.unavailable, "it does not answer", cause: .timedOut, .init(.driverFailed)),
  ])
  func aCameraThatIsGoneOrDoesNotAnswerIsAskedOnce(error: CaptureError) async throws {
    breakReading(of: .gain, error: error)
    #expect(await refusal { _ = try await device.settings() } == error)
    #expect(readings() == [Self.all])
    #expect(await refusal { _ = try await device.controls() } == error)
    #expect(readings().count == 1 && notices.ofControls.isEmpty)
  }

  /// As one whose processing unit stalls.
  @Test func howManyFailInARowDoesNotMatter() async throws {
    let failing = (0..<20 as Range<UInt32>).map {
      ControlID(rawValue: ControlID.brightness.rawValue + 0x1000 + $0)
    }
    camera.state.withLock { state in
      let controls = failing.map { ControlDescription(id: $0, name: "\($0)", label: "", type: .integer) }
      state.controls = controls + state.controls
      state.unreadableControls = Set(failing)
    }
    let read = try await device.controls().filter { $0.value != nil }
    #expect(Set(read.map { $0.control.id }) == Set(Self.all))
  }

  @Test func aCameraNoneOfWhoseControlsCanBeReadIsToldAsOne() async throws {
    camera.state.withLock { $0.unreadableControls = Set(Self.all) }
    #expect(await refusal { _ = try await device.controls() }?.code == .unavailable)
    #expect(await refusal { _ = try await device.settings() }?.code == .unavailable)
    #expect(await refusal { _ = try await device.settingsDescription() }?.code == .unavailable)
  }

  // MARK: The list

  @Test func whatTheListLacksIsToldOnce() async throws {
    let text = "its driver fails to describe control 0x980900, which is left out: Broken pipe"
    camera.state.withLock { $0.controlFailures = [text] }
    for _ in 0..<2 {
      _ = try await device.settings()
      _ = try await device.controls()
    }
    #expect(notices.ofControls == [text])
  }

  @Test func aControlThatComesBackToTheListHasNoValueFromBefore() async throws {
    let gain = try #require(camera.state.withLock { $0.controls.first { $0.id == .gain } })
    #expect(try await device.settings().exposure?.gain?.value == 1)
    camera.state.withLock { $0.controls.removeAll { $0.id == .gain } }
    #expect(try await device.controls().count == 4)
    camera.state.withLock { state in
      state.controls.append(gain)
      state.values[.gain] = .integer(50)
    }
    #expect(try await device.controls().count == 5)
    #expect(await device.knownSettings()?.exposure?.gain == nil)
    #expect(try await device.settings().exposure?.gain?.value == 50)
  }

  // MARK: Changes

  @Test func whatIsSetAndCannotBeReadIsAssumed() async throws {
    breakReading(of: .gain, .focusAbsolute)
    let outcome = try await device.set(SettingsFaultTests.change)
    #expect(outcome.settings.exposure?.gain == Observed(40, .assumed))
    #expect(outcome.settings.exposure?.duration == Observed(0.01, .reported))
    #expect(outcome.settings.focus?.lensPosition == Observed(0.5, .assumed))
    #expect(try await device.settings().exposure?.gain == Observed(40, .assumed))
    #expect(camera.state.withLock(\.current)[.gain] == .integer(40))
    breakReading()
    #expect(try await device.settings().exposure?.gain == Observed(40, .reported))
    breakReading(of: .gain)
    #expect(try await device.settings().exposure?.gain == nil)
  }

  @Test func soIsAModeThatIsSet() async throws {
    breakReading(of: .autoFocus)
    var change = SettingsChange()
    change.focus.mode = .locked
    #expect(try await device.set(change).settings.focus?.mode == .locked)
    #expect(try await device.settings().focus?.mode == .locked)
  }

  @Test func anotherControlIsSetAllTheSame() async throws {
    breakReading(of: .autoFocus, .focusAbsolute)
    let outcome = try await setGain(7)
    #expect(outcome.settings.exposure?.gain == Observed(7, .reported))
    var change = SettingsChange()
    change.exposure.duration = 0.02
    #expect(try await device.set(change).settings.exposure?.mode == .custom)
  }

  @Test func whatAnotherProgramChangesIsToldBesideOneThatCannotBeRead() async throws {
    camera.state.withLock { $0.values[.autoExposure] = .integer(1) }
    let watch = try await device.watchSettings(["exposure"])
    #expect(try await watch.next()?.keys == [])
    await eventually("it is observed") { camera.isObserved }
    breakReading(of: .autoFocus)
    camera.state.withLock { $0.values[.gain] = .integer(9) }
    camera.announce(ControlChange(id: .gain, value: .integer(9), flags: []))
    let news = try #require(try await watch.next())
    #expect(news.keys == [.setting(.gain)])
    #expect(await device.knownSettings()?.exposure?.gain == Observed(9, .reported))
    watch.end()
  }

  // MARK: What cannot be set back

  private static let unreadableMode = CaptureError(
    .unavailable, "reading 'auto_exposure' failed", cause: .brokenPipe, .init(.driverFailed))

  @Test func aChangeThatFailsHalfWayNamesWhatItCannotSetBack() async throws {
    breakReading(of: .autoExposure)
    _ = try await device.settings()
    let before = camera.state.withLock { state in
      // Both modes are set, and then the first value is refused.
      state.setsUntilFailure = 2
      return state.current
    }
    let error = await refusal { _ = try await device.set(SettingsFaultTests.change) }
    let text = "; 'auto_exposure' could not be read before: what was set there stays"
    #expect(error?.message.hasSuffix(text) == true && error?.unrestored == [])
    let kept = camera.state.withLock(\.current).filter { before[$0.key] != $0.value }
    #expect(kept == [.autoExposure: .integer(1)])
  }

  /// The step of a bracket would leave the camera in manual exposure for good.
  @Test func aPhotoBorrowsNothingThatItCannotSetBack() async throws {
    breakReading(of: .autoExposure, error: Self.unreadableMode)
    let error = await refusal {
      try await device.run { device throws(CaptureError) in
        var change = SettingsChange()
        change.exposure.duration = 0.02
        _ = try await device.settings.applyChange(change, clamping: true, by: .photo)
      }
    }
    #expect(error?.cause == .brokenPipe)
    #expect(camera.state.withLock(\.assignments).isEmpty)
  }

  @Test func norDoesACalibration() async throws {
    breakReading(of: .autoExposure, error: Self.unreadableMode)
    let error = await refusal {
      try await device.run { device throws(CaptureError) in
        try await device.settings.endAutomaticModes(of: try device.context.camera.required())
      }
    }
    #expect(error?.cause == .brokenPipe)
    #expect(camera.state.withLock(\.assignments).isEmpty)
  }

  @Test func aCalibrationSetsBackWhatWasSetAndCannotBeRead() async throws {
    breakReading(of: .autoExposure)
    let automatic = NamedAssignment(name: "auto_exposure", value: .value(.integer(3)))
    _ = try await device.set([automatic], clamping: false)
    let values = try await device.run { device throws(CaptureError) -> [ControlAssignment] in
      try await device.settings.settableValues(of: try device.context.camera.required())
    }
    #expect(values.contains(ControlAssignment(.autoExposure, .integer(3))))
  }

  // MARK: What is kept

  /// As after a photo or a calibration: the value is set, since nobody knows whether the camera has it.
  @Test func valuesAreSetBackAlsoWhereOneCannotBeRead() async throws {
    camera.state.withLock { $0.values = [.autoExposure: .integer(1), .gain: .integer(40)] }
    _ = try await device.settings()
    breakReading(of: .gain)
    await device.run { device in
      var before = SettingsTransaction.Before()
      before.controls = [
        ControlAssignment(.gain, .integer(7)), ControlAssignment(.exposureAbsolute, .integer(50)),
      ]
      guard let camera = device.camera else { return }
      await device.settings.revert(to: before, readsAgain: false, on: camera)
    }
    let now = camera.state.withLock(\.current)
    #expect(now[.gain] == .integer(7) && now[.exposureAbsolute] == .integer(50))
  }

  @Test func aNewStreamKeepsWhatCanBeRead() async throws {
    camera.state.withLock { $0.values[.autoExposure] = .integer(1) }
    breakReading(of: .gain)
    let kept = try await device.run { device throws(CaptureError) -> [ControlAssignment] in
      try await device.settings.valuesToKeep(of: try device.context.camera.required())
    }
    #expect(kept.contains(ControlAssignment(.exposureAbsolute, .integer(100))))
    #expect(!kept.contains { $0.id == .gain })
    // One that cannot be read afterwards is set again.
    breakReading(of: .exposureAbsolute)
    let isKept = await device.run { device in
      guard let camera = device.camera else { return true }
      return await device.settings.restoreAfterRestart(kept, on: camera)
    }
    #expect(!isKept)
    #expect(
      camera.state.withLock(\.assignments).contains(ControlAssignment(.exposureAbsolute, .integer(100))))
  }

  @Test func aNewStreamAndACalibrationNeedSomethingThatCanBeRead() async throws {
    _ = try await device.settings()
    camera.state.withLock { $0.unreadableControls = Set(Self.all) }
    let errorOfStream = await refusal {
      try await device.run { device throws(CaptureError) in
        _ = try await device.settings.valuesToKeep(of: try device.context.camera.required())
      }
    }
    let errorOfCalibration = await refusal {
      try await device.run { device throws(CaptureError) in
        _ = try await device.settings.settableValues(of: try device.context.camera.required())
      }
    }
    #expect(errorOfStream?.code == .unavailable && errorOfCalibration?.code == .unavailable)
  }

  @Test func aProfileIsSavedWholeOrNotAtAll() async throws {
    // The automatic modes own the two other values.
    #expect(try await device.saveProfile("night", replaces: false).controls == 3)
    breakReading(of: .gain, error: CaptureError(.unavailable, "reading 'gain' failed", cause: .brokenPipe))
    let error = await refusal { _ = try await device.saveProfile("night", replaces: true) }
    #expect(error?.code == .unavailable && error?.message == "reading 'gain' failed")
    #expect(await device.profiles().map(\.controls) == [3])
  }
}
