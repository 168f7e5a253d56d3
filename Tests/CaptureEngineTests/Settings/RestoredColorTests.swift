import CaptureControls
import CaptureModel
import CaptureTestSupport
import Testing

@testable import CaptureEngine

/// What tells the light after a restart of the node, after a return of the camera, and once a stream has begun.
@Suite(.timeLimit(.minutes(1))) struct RestoredColorTests {
  private let store = TestStore()

  /// A node that begins with what was kept, and this camera.
  private func node(_ camera: FakeCamera) async throws -> (CaptureEngine, Device, FakeProvider) {
    let provider = FakeProvider([camera])
    let engine = CaptureEngine(imaging: .standard, store: store, software: { SoftwareThreeA(of: $0) })
    await engine.attach(provider)
    return (engine, try engine.device("0"), provider)
  }

  private func change(_ device: Device, _ body: (inout SettingsChange) -> Void) async throws {
    var change = SettingsChange()
    body(&change)
    _ = try await device.set(change)
  }

  private func set(_ device: Device, _ name: String, _ value: Int64) async throws {
    _ = try await device.set(
      [NamedAssignment(name: name, value: .value(.integer(value)))], clamping: false)
  }

  private func temperature(_ device: Device) async throws -> Observed<Double>? {
    try await device.settings().whiteBalance?.temperature
  }

  /// A mode of the node's finds these.
  private func find(_ gains: WhiteBalanceGains, on device: Device) async throws {
    var found = SettingsChange()
    found.whiteBalance.colour = .gains(gains)
    _ = try await device.applyAutomation { [found] in found }
  }

  /// They are not kept, but the camera has them still.
  @Test func gainsThatAModeOfTheNodeHasFoundTellItAfterARestartToo() async throws {
    let camera = FakeCamera.withColorControls()
    let (first, before, _) = try await node(camera)
    try await change(before) { $0.whiteBalance.colour = .temperature(TemperatureAndTint(temperature: 2500)) }
    try await change(before) { $0.whiteBalance.mode = .continuous }
    #expect(try await temperature(before) == Observed(2500, .reported))
    try await find(WhiteBalanceGains(red: 1.8, green: 1, blue: 1.4), on: before)
    let told = try #require(try await temperature(before))
    #expect(told.provenance == .derived)
    await first.shutDown()
    let (second, after, _) = try await node(camera)
    #expect(try await temperature(after) == told)
    // What is set after that tells it again, also after a restart.
    try await change(after) { $0.whiteBalance.colour = .temperature(TemperatureAndTint(temperature: 3000)) }
    await second.shutDown()
    let (third, last, _) = try await node(camera)
    #expect(try await temperature(last) == Observed(3000, .reported))
    await third.shutDown()
  }

  /// The mode has set nothing yet.
  @Test func aTemperatureBeforeAModeOfTheNodeTellsItAfterARestartToo() async throws {
    let camera = FakeCamera.withColorControls()
    let (first, before, _) = try await node(camera)
    try await change(before) {
      $0.whiteBalance.colour = .gains(WhiteBalanceGains(red: 1.8, green: 1, blue: 1.4))
    }
    try await change(before) { $0.whiteBalance.colour = .temperature(TemperatureAndTint(temperature: 2500)) }
    try await change(before) { $0.whiteBalance.mode = .continuous }
    await first.shutDown()
    let (second, after, _) = try await node(camera)
    #expect(try await temperature(after) == Observed(2500, .reported))
    await second.shutDown()
  }

  /// The driver's mode had the colour after them, so the driver's temperature told the light. They are set again, and that mode is only off.
  @Test(arguments: [true, false]) func gainsThatAreRestoredTellIt(isUnplugged: Bool) async throws {
    let camera = FakeCamera.withColorControls(hasDriversMode: true)
    let (engine, device, provider) = try await node(camera)
    try await set(device, "red_balance", 900)
    try await set(device, "blue_balance", 300)
    try await set(device, "white_balance_automatic", 1)
    try await set(device, "white_balance_automatic", 0)
    #expect(try await temperature(device) == Observed(5000, .reported))
    if isUnplugged {
      provider.unplug(camera)
      provider.plug(FakeCamera.withColorControls(hasDriversMode: true))
    } else {
      _ = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    }
    let gains = WhiteBalanceGains(red: 900.0 / 512, green: 1, blue: 300.0 / 512)
    let expected = Observed(gains.temperatureAndTint.temperature, .derived)
    await eventually("the gains tell it") { (try? await temperature(device)) == expected }
    await engine.shutDown()
  }
}
