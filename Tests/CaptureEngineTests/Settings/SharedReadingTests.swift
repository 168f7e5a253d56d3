import CaptureControls
import CaptureModel
import CaptureTestSupport
import Testing

@testable import CaptureEngine

/// Many who read a camera, whose driver takes its time.
@Suite(.timeLimit(.minutes(1))) struct SharedReadingTests {
  private static let crowd = 50

  // MARK: Who shares what

  /// A value, and readings of it that wait until they are let go.
  private actor Meter {
    private let reading = SharedReading<Int>()
    private var held: [CheckedContinuation<Void, Never>] = []
    private(set) var begun = 0
    var value = 1

    var waitingCount: Int { reading.waitingCount }

    func set(_ value: Int) { self.value = value }

    func read() async throws(CaptureError) -> Int {
      try await reading.value { () throws(CaptureError) in
        begun += 1
        let found = value
        await withCheckedContinuation { held.append($0) }
        try CaptureError.checkCancellation()
        return found
      }
    }

    func release() {
      for reader in held { reader.resume() }
      held = []
    }
  }

  @Test func whoAsksWhileOneIsUnderWaySharesTheNextAndGetsNothingOlder() async throws {
    let meter = Meter()
    let first = Task { try await meter.read() }
    await eventually("it has begun") { await meter.begun == 1 }
    await meter.set(2)
    let others = (0..<Self.crowd).map { _ in Task { try await meter.read() } }
    await eventually("the others wait") { await meter.waitingCount == Self.crowd }
    await meter.release()
    #expect(try await first.value == 1)
    await eventually("the next has begun") { await meter.begun == 2 }
    await meter.release()
    for other in others { #expect(try await other.value == 2) }
    #expect(await meter.begun == 2)
    let last = Task { try await meter.read() }
    await eventually("a later call makes one of its own") { await meter.begun == 3 }
    await meter.release()
    #expect(try await last.value == 2)
  }

  @Test func aCallThatIsCancelledTakesNothingFromThoseWhoShareWithIt() async throws {
    let meter = Meter()
    let first = Task { try await meter.read() }
    await eventually("it has begun") { await meter.begun == 1 }
    let cancelled = Task { try await meter.read() }
    await eventually("it waits") { await meter.waitingCount == 1 }
    let other = Task { try await meter.read() }
    await eventually("both wait") { await meter.waitingCount == 2 }
    await meter.release()
    _ = try await first.value
    await eventually("the second has begun") { await meter.begun == 2 }
    cancelled.cancel()
    await meter.release()
    await #expect(throws: CaptureError.self) { try await cancelled.value }
    await eventually("the third has begun") { await meter.begun == 3 }
    await meter.release()
    #expect(try await other.value == 1)
  }

  // MARK: At the camera

  /// A camera whose controls the node knows: those of an exposure, and two that are no settings.
  private static func camera() async throws -> (FakeCamera, Device) {
    let camera = FakeCamera("a")
    camera.state.withLock { state in
      state.controls = ControlDescription.manualExposure
      for (id, name) in [(ControlID.gain, "gain"), (.brightness, "brightness"), (.contrast, "contrast")] {
        state.controls.append(
          ControlDescription(id: id, name: name, label: name, type: .integer, maximum: 255))
      }
      state.inputs = [CameraInput(index: 0, name: "TV 0", kind: .tuner), InputStateTests.hdmi()]
    }
    let device = try await engine(camera).device("0")
    _ = try await device.settings()
    camera.state.withLock { $0.readings = [] }
    return (camera, device)
  }

  private static func readings(of camera: FakeCamera) -> [[ControlID]] {
    camera.state.withLock { $0.readings }
  }

  /// Makes the call so often that all but the first wait; then the camera answers, and all end.
  private func makeInCrowd<Value: Sendable>(
    _ camera: FakeCamera, waiting: @escaping @Sendable () async -> Int,
    _ call: @escaping @Sendable () async throws -> Value
  ) async throws -> [Value] {
    camera.state.withLock { $0.holdsReading = true }
    defer { camera.releaseReading() }
    let calls = (0..<Self.crowd).map { _ in Task { try await call() } }
    await eventually("all but one wait") { await waiting() == Self.crowd - 1 }
    #expect(camera.state.withLock { $0.heldReading.count } == 1)
    camera.releaseReading()
    var values: [Value] = []
    for call in calls { values.append(try await call.value) }
    return values
  }

  @Test func aCrowdThatGetsSettingsReadsThemTwice() async throws {
    let (camera, device) = try await Self.camera()
    _ = try await makeInCrowd(camera) {
      await device.run { $0.settings.clientReadings.settings.waitingCount }
    } _: {
      try await device.settings()
    }
    #expect(Self.readings(of: camera).count == 2)
  }

  @Test func aChangeWaitsForOneReadingAndNotForACrowds() async throws {
    let (camera, device) = try await Self.camera()
    camera.state.withLock { $0.holdsReading = true }
    defer { camera.releaseReading() }
    let crowd = (0..<Self.crowd).map { _ in Task { try await device.settings() } }
    await eventually("all but one wait") {
      await device.run { $0.settings.clientReadings.settings.waitingCount } == Self.crowd - 1
    }
    let set = Task {
      var change = SettingsChange()
      change.exposure.gain = 7
      return try await device.set(change)
    }
    await eventually("the change waits") { await device.gates.settings.waitingCount == 1 }
    #expect(Self.readings(of: camera).count == 1)
    camera.releaseReading()
    #expect(try await set.value.settings.exposure?.gain?.value == 7)
    // A call that begins after the change's answer tells the change.
    #expect(try await device.settings().exposure?.gain?.value == 7)
    for one in crowd { _ = try await one.value }
    // Those of the first, of the others and of the last, and the change's own.
    #expect(Self.readings(of: camera).count < 10)
  }

  @Test func whoGetsSettingsAfterAChangeDoesNotGetThoseFromBefore() async throws {
    let (camera, device) = try await Self.camera()
    camera.state.withLock { $0.holdsSetting = true }
    let set = Task {
      var change = SettingsChange()
      change.exposure.gain = 7
      return try await device.set(change)
    }
    await eventually("it is being set") { camera.state.withLock { $0.heldSetting.count } == 1 }
    // It begins before the change is made, and it is still under way when the change is answered.
    camera.state.withLock { $0.holdsReading = true }
    defer { camera.releaseReading() }
    let early = Task { try await device.settings() }
    await eventually("it reads") { camera.state.withLock { $0.heldReading.count } == 1 }
    camera.state.withLock { $0.holdsReading = false }
    camera.releaseSetting()
    _ = try await set.value
    let before = Self.readings(of: camera).count
    let late = Task { try await device.settings() }
    await eventually("it waits for a reading of its own") {
      await device.run { $0.settings.clientReadings.settings.waitingCount } == 1
    }
    camera.releaseReading()
    _ = try await early.value
    #expect(try await late.value.exposure?.gain?.value == 7)
    #expect(Self.readings(of: camera).count == before + 1)
  }

  @Test func aCrowdThatListsControlsListsThemTwice() async throws {
    let (camera, device) = try await Self.camera()
    let listings = camera.state.withLock { $0.listings }
    let lists = try await makeInCrowd(camera) {
      await device.run { $0.settings.clientReadings.controls.waitingCount }
    } _: {
      try await device.controls().map { $0.control.name }
    }
    let names = ["auto_exposure", "exposure_time_absolute", "gain", "brightness", "contrast"]
    #expect(Set(lists) == [names])
    #expect(Self.readings(of: camera).count == 2)
    #expect(camera.state.withLock { $0.listings } == listings + 2)
  }

  /// As each of many watches does with each of its events.
  @Test func thoseWhoReadOtherControlsShareOneReadingOfAllOfThem() async throws {
    let (camera, device) = try await Self.camera()
    camera.state.withLock { state in
      state.holdsReading = true
      state.values = [.brightness: .integer(3), .contrast: .integer(4)]
    }
    defer { camera.releaseReading() }
    let read = { @Sendable (ids: [ControlID]) in
      try await device.run { try await $0.settings.readings(of: ids) }.map(\.value)
    }
    let first = Task { try await read([.gain]) }
    await eventually("it reads") { camera.state.withLock { $0.heldReading.count } == 1 }
    let one = (0..<Self.crowd).map { _ in Task { try await read([.brightness]) } }
    let both = (0..<Self.crowd).map { _ in Task { try await read([.contrast, .brightness]) } }
    await eventually("the others wait") {
      await device.run { $0.settings.clientReadings.values.waitingCount } == 2 * Self.crowd
    }
    camera.releaseReading()
    _ = try await first.value
    for call in one { #expect(try await call.value == [.integer(3)]) }
    for call in both { #expect(try await call.value == [.integer(4), .integer(3)]) }
    #expect(Self.readings(of: camera) == [[.gain], [.brightness, .contrast]])
  }

  @Test func aControlThatCannotBeReadTakesNoOtherFromThoseWhoShare() async throws {
    let (camera, device) = try await Self.camera()
    camera.state.withLock { state in
      state.unreadableControls = [.contrast]
      state.values = [.brightness: .integer(3)]
    }
    let found = try await device.run {
      try await $0.settings.readings(of: [.contrast, .brightness])
    }
    #expect(found.map(\.control.id) == [.brightness] && found.map(\.value) == [.integer(3)])
    await #expect(throws: CaptureError.self) {
      try await device.run { try await $0.settings.readings(of: [.contrast]) }
    }
  }

  @Test func whoIsCancelledHalfWayTakesNoValueFromThoseWhoShare() async throws {
    let (camera, device) = try await Self.camera()
    camera.state.withLock { state in
      (state.holdsReading, state.failsWhenCancelled) = (true, true)
      state.unreadableControls = [.contrast]
      state.values = [.brightness: .integer(3)]
    }
    defer { camera.releaseReading() }
    let read = { @Sendable (ids: [ControlID]) in
      try await device.run { try await $0.settings.readings(of: ids) }.map(\.value)
    }
    let first = Task { try await read([.gain]) }
    await eventually("it reads") { camera.state.withLock { $0.heldReading.count } == 1 }
    let cancelled = Task { try await read([.contrast, .brightness]) }
    await eventually("it waits") {
      await device.run { $0.settings.clientReadings.values.waitingCount } == 1
    }
    let other = Task { try await read([.brightness]) }
    await eventually("both wait") {
      await device.run { $0.settings.clientReadings.values.waitingCount } == 2
    }
    await Self.answer(camera, untilItReads: [.brightness, .contrast])
    // One of them cannot be read, so that each is read alone.
    await Self.answer(camera, untilItReads: [.brightness])
    cancelled.cancel()
    camera.releaseReading()
    _ = try await first.value
    await #expect(throws: CaptureError.self) { try await cancelled.value }
    #expect(try await other.value == [.integer(3)])
  }

  /// Ends the reading that waits. The next one waits, too.
  private static func answer(_ camera: FakeCamera, untilItReads ids: [ControlID]) async {
    let held = camera.state.withLock { state in
      defer { state.heldReading = [] }
      return state.heldReading
    }
    for reader in held { reader.resume() }
    await eventually("it reads \(ids)") {
      camera.state.withLock { $0.heldReading.count == 1 && $0.readings.last == ids }
    }
  }

  @Test func aCrowdThatNeedsControlsLoadsThemOnce() async throws {
    let (camera, device) = try await Self.camera()
    await device.run { $0.settings.controls.forget() }
    _ = try await makeInCrowd(camera) {
      await device.run { $0.settings.controls.loading.waitingCount }
    } _: {
      try await device.settingsDescription()
    }
    #expect(Self.readings(of: camera).count == 1)
  }

  @Test func whoNeedsTheControlsThatAChangeHasReadReadsNoneBesideTheChange() async throws {
    let (camera, device) = try await Self.camera()
    await device.run { $0.settings.controls.forget() }
    camera.state.withLock { ($0.holdsReading, $0.holdsSetting) = (true, true) }
    defer {
      camera.releaseReading()
      camera.releaseSetting()
    }
    let set = Task {
      var change = SettingsChange()
      change.exposure.gain = 7
      return try await device.set(change)
    }
    await eventually("the change reads") { camera.state.withLock { $0.heldReading.count } == 1 }
    let description = Task { try await device.settingsDescription() }
    await eventually("the other waits") {
      await device.run { $0.settings.controls.loading.waitingCount } == 1
    }
    camera.releaseReading()
    await eventually("it is being set") { camera.state.withLock { $0.heldSetting.count } == 1 }
    _ = try await description.value
    #expect(Self.readings(of: camera).count == 1)
    camera.releaseSetting()
    #expect(try await set.value.settings.exposure?.gain?.value == 7)
  }

  @Test func controlsThatAreForgottenWhileTheyAreReadAreReadAgain() async throws {
    let (camera, device) = try await Self.camera()
    await device.run { $0.settings.controls.forget() }
    camera.state.withLock { $0.holdsReading = true }
    defer { camera.releaseReading() }
    let reading = Task { try await device.settingsDescription() }
    await eventually("it reads") { camera.state.withLock { $0.heldReading.count } == 1 }
    await device.run { $0.settings.controls.forget() }
    camera.releaseReading()
    _ = try await reading.value
    #expect(Self.readings(of: camera).count == 2)
  }

  @Test func aCrowdThatNeedsFormatsListsThemOnceAndAgainWhereTheyAreForgotten() async throws {
    let (camera, device) = try await Self.camera()
    await device.run { $0.context.camera.forgetFormats() }
    let before = camera.state.withLock { state in
      state.holdsFormats = true
      return state.formatListings
    }
    defer { camera.releaseFormats() }
    let crowd = (0..<Self.crowd).map { _ in Task { try await device.formats() } }
    await eventually("all but one wait") {
      await device.run { $0.context.camera.listing.waitingCount } == Self.crowd - 1
    }
    #expect(camera.state.withLock { $0.heldFormats.count } == 1)
    camera.releaseFormats()
    for one in crowd { #expect(try await one.value.count == 2) }
    #expect(camera.state.withLock { $0.formatListings } == before + 1)

    // What is listed may be of the signal before.
    camera.state.withLock { $0.holdsFormats = true }
    await device.run { $0.context.camera.forgetFormats() }
    let early = Task { try await device.formats() }
    await eventually("it lists them") { camera.state.withLock { $0.heldFormats.count } == 1 }
    await device.run { $0.context.camera.forgetFormats() }
    let late = Task { try await device.formats() }
    await eventually("it waits") { await device.run { $0.context.camera.listing.waitingCount } == 1 }
    camera.releaseFormats()
    _ = try await (early.value, late.value)
    #expect(camera.state.withLock { $0.formatListings } == before + 3)
  }

  @Test func aCrowdThatListsInputsHasOneListingAtTheCamera() async throws {
    let (camera, device) = try await Self.camera()
    _ = try await device.listInputs()
    camera.state.withLock { $0.holdsInputs = true }
    defer { camera.releaseEverything() }
    let crowd = (0..<Self.crowd).map { _ in Task { try await device.listInputs() } }
    await eventually("all but one wait") {
      await device.run { $0.inputs.listing.waitingCount } == Self.crowd - 1
    }
    #expect(camera.state.withLock { $0.heldInputs.count } == 1)
    camera.releaseEverything()
    for one in crowd { #expect(try await one.value.count == 2) }
  }
}
