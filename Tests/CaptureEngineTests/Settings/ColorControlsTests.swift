import CaptureControls
import CaptureModel
import CaptureTestSupport
import Testing

@testable import CaptureEngine

/// A camera whose temperature sets the balances of red and blue too, while its own number stays when these are set.
@Suite(.timeLimit(.minutes(1))) struct ColorControlsTests {
  private static let (red, blue) = (ControlID.redBalance, ControlID.blueBalance)
  private let camera = FakeCamera.withColorControls()
  private let device: Device

  init() async throws {
    let engine = CaptureEngine(imaging: .standard, software: { SoftwareThreeA(of: $0) })
    await engine.attach(FakeProvider([camera]))
    device = try engine.device("0")
  }

  private func set(_ values: KeyValuePairs<String, Int64>) async throws {
    let assignments = values.map { NamedAssignment(name: $0, value: .value(.integer($1))) }
    _ = try await device.set(assignments, clamping: false)
  }

  private func change(_ body: (inout SettingsChange) -> Void) async throws {
    var change = SettingsChange()
    body(&change)
    _ = try await device.set(change)
  }

  private func reported() async throws -> Observed<Double>? {
    try await device.settings().whiteBalance?.temperature
  }

  /// Another one, whose driver has an automatic white balance too.
  private func withDriversMode() async throws -> (FakeCamera, Device) {
    let camera = FakeCamera.withColorControls(hasDriversMode: true)
    let engine = CaptureEngine(imaging: .standard, software: { SoftwareThreeA(of: $0) })
    await engine.attach(FakeProvider([camera]))
    return (camera, try engine.device("0"))
  }

  // MARK: What tells the light

  @Test func itIsTheControlThatWasSetLastByItsNumberToo() async throws {
    try await change { $0.whiteBalance.colour = .temperature(TemperatureAndTint(temperature: 2500)) }
    #expect(try await reported() == Observed(2500, .reported))
    try await set(["red_balance": 900])
    #expect(try await reported()?.provenance == .derived)
    try await set(["blue_balance": 300, "white_balance_temperature": 3000])
    #expect(try await reported() == Observed(3000, .reported))
    try await set(["white_balance_temperature": 3500, "blue_balance": 300])
    #expect(try await reported()?.provenance == .derived)
  }

  /// While the node's mode finds the colour, none is remembered.
  @Test func itIsTheGainsAlsoOnceAChangeWasRevokedInAModeOfTheNode() async throws {
    let subscription = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    try await change { $0.whiteBalance.colour = .temperature(TemperatureAndTint(temperature: 2500)) }
    try await change {
      $0.whiteBalance.colour = .gains(WhiteBalanceGains(red: 1.8, green: 1, blue: 1.4))
    }
    try await change { $0.whiteBalance.mode = .continuous }
    let before = try #require(try await reported())
    #expect(before.provenance == .derived)
    camera.state.withLock { $0.startError = CaptureError(.resourceExhausted, "no bandwidth") }
    let refused = await refusal {
      try await change { $0.frameDuration = .init(minimum: FrameInterval(rate: 15)) }
    }
    #expect(refused?.code == .resourceExhausted)
    #expect(try await reported() == before)
    await device.unsubscribe(subscription)
  }

  /// The mode sets its first gains after the change was made, and before the stream with its bounds fails.
  @Test func itIsTheGainsThatAModeHasFoundSinceAChangeThatIsRevoked() async throws {
    let subscription = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    try await change { $0.whiteBalance.colour = .temperature(TemperatureAndTint(temperature: 2500)) }
    try await change { $0.whiteBalance.mode = .continuous }
    #expect(try await reported() == Observed(2500, .reported))
    camera.state.withLock { $0.holdsStarting = true }
    let revoked = Task {
      var change = SettingsChange()
      change.frameDuration = .init(minimum: FrameInterval(rate: 15))
      return await refusal { [change] in _ = try await device.set(change) }
    }
    await eventually("a stream is being started") { camera.state.withLock { !$0.heldStarting.isEmpty } }
    try await device.run { device in
      let settings = device.settings
      await device.context.gates.settings.enterToCleanUp()
      defer { device.context.gates.settings.leave() }
      var found = SettingsChange()
      found.whiteBalance.colour = .gains(WhiteBalanceGains(red: 1.8, green: 1, blue: 1.4))
      _ = try await settings.applyChange(found, clamping: true, by: .automation)
    }
    let before = try #require(try await reported())
    #expect(before.provenance == .derived)
    camera.releaseStart(failing: CaptureError(.resourceExhausted, "no bandwidth"))
    #expect(await revoked.value?.code == .resourceExhausted)
    #expect(try await reported() == before)
    await device.unsubscribe(subscription)
  }

  @Test(arguments: [true, false]) func itIsTheDriversOnceItsModeWasOnByNumber(inOneCall: Bool) async throws {
    let (_, device) = try await withDriversMode()
    func set(_ values: KeyValuePairs<String, Int64>) async throws -> Observed<Double>? {
      let assignments = values.map { NamedAssignment(name: $0, value: .value(.integer($1))) }
      return try await device.set(assignments, clamping: false).settings.whiteBalance?.temperature
    }
    if inOneCall {
      _ = try await set(["red_balance": 900, "white_balance_automatic": 1])
    } else {
      #expect(try await set(["red_balance": 900])?.provenance == .derived)
      _ = try await set(["white_balance_automatic": 1])
    }
    #expect(try await set(["white_balance_automatic": 0]) == Observed(5000, .reported))
    #expect(try await set(["red_balance": 900])?.provenance == .derived)
  }

  /// The memory still has the gains, and of the driver's mode only that it is off.
  @Test func itIsTheDriversAlsoOnceAChangeThatSetATemperatureWasRevoked() async throws {
    let (camera, device) = try await withDriversMode()
    let subscription = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    for (name, value) in [
      ("red_balance", "900"), ("white_balance_automatic", "1"), ("white_balance_automatic", "0"),
    ] {
      _ = try await device.set([NamedAssignment(name: name, value: .literal(value))], clamping: false)
    }
    #expect(try await device.settings().whiteBalance?.temperature == Observed(5000, .reported))
    camera.state.withLock { $0.startError = CaptureError(.resourceExhausted, "no bandwidth") }
    let refused = await refusal {
      var change = SettingsChange()
      change.frameDuration = .init(minimum: FrameInterval(rate: 15))
      let temperature = NamedAssignment(name: "white_balance_temperature", value: .literal("3000"))
      _ = try await device.set(change, controls: [temperature])
    }
    #expect(refused?.code == .resourceExhausted)
    #expect(try await device.settings().whiteBalance?.temperature == Observed(5000, .reported))
    await device.unsubscribe(subscription)
  }

  // MARK: What is taken back

  /// By gains, the temperature's number being an old one, or by the temperature.
  private func begin(_ toldByGains: Bool) async throws {
    try await set(["red_balance": 900, "blue_balance": 300, "white_balance_temperature": 2500])
    if toldByGains { try await set(["red_balance": 900, "blue_balance": 300]) }
  }

  private var values: [ControlID: ControlValue] { camera.state.withLock(\.current) }

  @Test(arguments: [true, false]) func aProfileThatFailsLeavesTheColour(toldByGains: Bool) async throws {
    let lamp = TestLamp()
    await device.installLamp(lamp)
    try await set(["white_balance_temperature": 4000, "red_balance": 600])
    try await change { $0.torch = .init(mode: .on, level: 0.5) }
    _ = try await device.saveProfile("day", replaces: false)
    try await change { $0.torch = .init(mode: .off) }
    try await begin(toldByGains)
    let (before, told) = (values, try await reported())
    // After the driver's controls.
    lamp.state.withLock { $0.isBroken = true }
    let refused = await refusal { _ = try await device.loadProfile("day") }
    #expect(refused != nil)
    #expect(values == before)
    #expect(try await reported() == told)
  }

  @Test(arguments: [true, false]) func aTemperatureThatIsTakenBackLeavesTheColour(toldByGains: Bool)
    async throws
  {
    try await begin(toldByGains)
    let before = values
    camera.state.withLock { $0.brokenControls = [.brightness] }
    let refused = await refusal {
      var change = SettingsChange()
      change.whiteBalance.colour = .temperature(TemperatureAndTint(temperature: 3000))
      let brightness = NamedAssignment(name: "brightness", value: .literal("20"))
      _ = try await device.set(change, controls: [brightness])
    }
    #expect(refused?.code == .unavailable)
    #expect(values == before)
  }

  /// In a call that fails half-way. The driver's part sets back what the call has set, and knows nothing of gains.
  @Test(arguments: [true, false]) func aCallThatFailsAfterItsTemperatureLeavesTheColour(toldByGains: Bool)
    async throws
  {
    try await begin(toldByGains)
    let (before, told) = (values, try await reported())
    camera.state.withLock { state in
      state.assignments = []
      state.setsUntilFailure = 1
    }
    let refused = await refusal { try await set(["white_balance_temperature": 3000, "brightness": 20]) }
    #expect(refused?.code == .unavailable)
    #expect(values == before)
    #expect(try await reported() == told)
    // A temperature that told the light comes back last.
    let setBack = camera.state.withLock { Set($0.assignments.map(\.id)) }
    #expect(setBack == (toldByGains ? [Self.red, Self.blue] : []))
  }

  /// A change whose bounds the stream does not start with, and somebody who sets the colour otherwise meanwhile.
  @Test(arguments: [true, false]) func aColourThatOthersHaveSetSinceStays(byGains: Bool) async throws {
    let subscription = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    try await begin(true)
    camera.state.withLock { $0.holdsStarting = true }
    let assignments = [
      NamedAssignment(name: byGains ? "white_balance_temperature" : "red_balance", value: .literal("2000")),
      NamedAssignment(name: "brightness", value: .literal("20")),
    ]
    let revoked = Task {
      var change = SettingsChange()
      change.frameDuration = .init(minimum: FrameInterval(rate: 15))
      return await refusal { [change] in _ = try await device.set(change, controls: assignments) }
    }
    await eventually("a stream is being started") { camera.state.withLock { !$0.heldStarting.isEmpty } }
    try await set(byGains ? ["red_balance": 1000] : ["white_balance_temperature": 3000])
    var since = values
    camera.releaseStart(failing: CaptureError(.resourceExhausted, "no bandwidth"))
    #expect(await revoked.value?.code == .resourceExhausted)
    since[.brightness] = .integer(10)
    #expect(values == since)
    let told = try await reported()
    #expect(byGains ? told?.provenance == .derived : told == Observed(3000, .reported))
    await device.unsubscribe(subscription)
  }

  /// The temperature told the light before, and red alone is taken back.
  @Test func aBlueThatOthersHaveSetSinceTellsTheLight() async throws {
    let subscription = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    try await set(["white_balance_temperature": 2500])
    var expected = values
    camera.state.withLock { $0.holdsStarting = true }
    let revoked = Task {
      var change = SettingsChange()
      change.frameDuration = .init(minimum: FrameInterval(rate: 15))
      let red = NamedAssignment(name: "red_balance", value: .literal("2000"))
      return await refusal { [change] in _ = try await device.set(change, controls: [red]) }
    }
    await eventually("a stream is being started") { camera.state.withLock { !$0.heldStarting.isEmpty } }
    try await set(["blue_balance": 1000])
    camera.releaseStart(failing: CaptureError(.resourceExhausted, "no bandwidth"))
    #expect(await revoked.value?.code == .resourceExhausted)
    expected[Self.blue] = .integer(1000)
    #expect(values == expected)
    #expect(try await reported()?.provenance == .derived)
    await device.unsubscribe(subscription)
  }
}
