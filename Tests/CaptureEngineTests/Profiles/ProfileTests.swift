import CaptureEngine
import CaptureModel
import CaptureTestSupport
import Testing

@Suite struct ProfileTests {
  private static let automatic = ControlDescription(
    id: ControlID(rawValue: 3), name: "auto", label: "Auto", type: .boolean, maximum: 1)
  private static let exposure = ControlDescription(
    id: ControlID(rawValue: 1), name: "exposure", label: "Exposure", type: .integer, maximum: 255)
  private static let brightness = ControlDescription(
    id: ControlID(rawValue: 2), name: "brightness", label: "Brightness", type: .integer, maximum: 255)
  private static let reset = ControlDescription(
    id: ControlID(rawValue: 4), name: "reset", label: "Reset", type: .button)

  private func camera() -> FakeCamera {
    let camera = FakeCamera()
    camera.state.withLock {
      $0.controls = [Self.exposure, Self.brightness, Self.automatic, Self.reset]
      $0.values = [
        Self.exposure.id: .integer(10), Self.brightness.id: .integer(20), Self.automatic.id: .integer(0),
      ]
    }
    return camera
  }

  private func set(_ name: String, _ value: Int64, _ device: DeviceController) async throws {
    _ = try await device.set([NamedAssignment(name: name, value: .value(.integer(value)))], clamping: false)
  }

  private func failure(_ body: () async throws -> Void) async -> CaptureError? {
    do {
      try await body()
      return nil
    } catch {
      return error as? CaptureError
    }
  }

  @Test func whatWasSavedIsSetAgainWithModesAheadOfValues() async throws {
    let camera = camera()
    let device = try await engine(camera).device("0")
    let saved = try await device.saveProfile("night", replaces: false)
    #expect(saved.controls == 3)
    for (name, value) in [("exposure", Int64(1)), ("brightness", 2), ("auto", 1)] {
      try await set(name, value, device)
    }
    camera.state.withLock { $0.assignments = [] }
    _ = try await device.loadProfile("night")
    #expect(
      camera.state.withLock { $0.assignments } == [
        ControlAssignment(Self.automatic.id, .integer(0)), ControlAssignment(Self.exposure.id, .integer(10)),
        ControlAssignment(Self.brightness.id, .integer(20)),
      ])
    #expect(await device.profiles().map(\.name) == ["night"])
    try await device.deleteProfile("night")
    #expect(await device.profiles().isEmpty)
  }

  @Test func aProfileThatFailsSetsNothing() async throws {
    let camera = camera()
    let device = try await engine(camera).device("0")
    _ = try await device.saveProfile("night", replaces: false)
    try await set("exposure", 1, device)
    camera.state.withLock { $0.brokenControls = [Self.brightness.id] }
    #expect(await failure { _ = try await device.loadProfile("night") }?.code == .unavailable)
    #expect(camera.state.withLock { $0.values[Self.exposure.id] } == .integer(1))
    let text = await failure { _ = try await device.loadProfile("day") }?.message
    #expect(text == "'fake-0' has no profile 'day'; there are: 'night'")
  }

  @Test func namesAreCheckedAndProfilesNotWrittenOverUnasked() async throws {
    let device = try await engine(camera()).device("0")
    for name in ["", "a b", "ü", "../x", String(repeating: "a", count: 65)] {
      #expect(
        await failure { _ = try await device.saveProfile(name, replaces: false) }?.code == .invalidArgument)
    }
    _ = try await device.saveProfile("a.b-c_1", replaces: false)
    #expect(
      await failure { _ = try await device.saveProfile("a.b-c_1", replaces: false) }?.code == .alreadyExists)
    _ = try await device.saveProfile("a.b-c_1", replaces: true)
    #expect(await failure { try await device.deleteProfile("x") }?.code == .notFound)
  }
}
