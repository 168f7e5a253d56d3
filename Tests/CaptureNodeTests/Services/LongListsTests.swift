import CaptureSynthetic
import CaptureTransport
import CaptureWire
import Testing

/// Lists that clients fill, as long as an envelope takes them.
@Suite(.timeLimit(.minutes(1))) struct LongListsTests {
  private typealias Call = @Sendable (ClientConnection) async throws -> Void

  private static let calls: [(name: String, call: Call)] = [
    (
      "Settings/Watch",
      { client in
        let events = try await SettingsClient(client).watch(
          WatchSettingsRequest(device: "0", names: Array(repeating: "zoom", count: 7_000)), options: bounded)
        for try await _ in events {}
      }
    ),
    (
      "Settings/Calibrate",
      { client in
        let events = try await SettingsClient(client).calibrate(
          CalibrateRequest(device: "0", controls: Array(repeating: "gain", count: 7_000)), options: bounded)
        for try await _ in events {}
      }
    ),
    (
      "Settings/Set",
      { client in
        _ = try await SettingsClient(client).set(
          SetSettingsRequest(device: "0", change: SettingsChange(controls: assignments(4_000))),
          options: bounded)
      }
    ),
    (
      "Devices/GetControls",
      { client in
        _ = try await DevicesClient(client).getControls(
          GetControlsRequest(device: "0", names: Array(repeating: "gain", count: 8_000)), options: bounded)
      }
    ),
    (
      "Devices/SetControls",
      { client in
        _ = try await DevicesClient(client).setControls(
          SetControlsRequest(device: "0", assignments: assignments(4_000)), options: bounded)
      }
    ),
    (
      "Sessions/Configure",
      { client in
        let inputs = Array(repeating: SessionInput(device: "0"), count: 3_000)
        _ = try await SessionsClient(client).configure(
          ConfigureSessionRequest(configuration: .init(inputs: inputs)), options: bounded)
      }
    ),
  ]

  private static func assignments(_ count: Int) -> [ControlAssignment] {
    Array(repeating: ControlAssignment(name: "gain", kind: .literal("1")), count: count)
  }

  @Test func areRefusedNamingTheBound() async throws {
    let (fixture, _) = try await Fixture.synthetic()
    for (name, call) in Self.calls {
      let refusal = await status { try await call(fixture.client) }
      #expect(refusal?.code == .invalidArgument, "\(name)")
      #expect(refusal?.text.contains(name) == true)
      #expect(refusal?.text.contains("more than 256 entries") == true)
    }
    await fixture.stop()
  }

  @Test func whatIsNamedAgainCountsOnce() async throws {
    let (fixture, _) = try await Fixture.synthetic()
    let names = Array(repeating: ["brightness", "contrast", "Brightness"], count: 80).flatMap(\.self)
    let readings = try await fixture.devices.getControls(
      GetControlsRequest(device: "0", names: names), options: bounded
    ).readings
    #expect(readings.map(\.name) == ["brightness", "contrast"])
    let answer = try await fixture.devices.setControls(
      SetControlsRequest(
        device: "0",
        assignments: Array(repeating: .init(name: "brightness", kind: .literal("7")), count: 200)),
      options: bounded)
    #expect(answer.readings.map(\.name) == ["brightness"])
    let events = try await fixture.settings.watch(
      WatchSettingsRequest(device: "0", names: Array(repeating: "brightness", count: 256)), options: bounded)
    var iterator = events.makeAsyncIterator()
    _ = try await iterator.next()
    _ = try await fixture.devices.setControls(
      SetControlsRequest(device: "0", assignments: [.init(name: "brightness", kind: .literal("8"))]),
      options: bounded)
    #expect(try await iterator.next()?.controls.map(\.name) == ["brightness"])
    await fixture.stop()
  }
}
