import CaptureEngine
import CaptureModel
import CaptureTestSupport
import CaptureTransport
import CaptureWire
import Testing

/// Which field a refusal of `Sessions/Configure` names: the whole path in the request.
@Suite(.timeLimit(.minutes(1))) struct RefusedSessionFieldsTests {
  private typealias Configuration = CaptureWire.SessionConfiguration

  private static let usual = Configuration(
    inputs: [.init(device: "0"), .init(device: "1")],
    outputs: [.init(name: "video", kind: .video), .init(name: "photo", kind: .photo)],
    connections: [.init(device: "0", output: "video"), .init(device: "1", output: "photo")])

  private static func format(
    _ pixelFormat: String? = nil, _ size: CaptureWire.Size? = nil, _ duration: (UInt32, UInt32)? = nil
  ) -> CaptureWire.ActiveFormat {
    .init(
      pixelFormat: pixelFormat.map { PixelFormat($0)!.rawValue } ?? 0, size: size,
      duration: duration.map { .init(numerator: $0.0, denominator: $0.1) })
  }

  private struct Case: CustomTestStringConvertible, Sendable {
    var field: String
    var change: @Sendable (inout Configuration) -> Void
    var testDescription: String { field }

    init(_ field: String, _ change: @escaping @Sendable (inout Configuration) -> Void) {
      (self.field, self.change) = (field, change)
    }
  }

  private static let refusals: [Case] = [
    Case("configuration.inputs") { ($0.inputs, $0.connections) = ([], []) },
    Case("configuration.inputs[1].device") { $0.inputs[1].device = "" },
    Case("configuration.inputs[1].device") { $0.inputs[1].device = "nope" },
    Case("configuration.inputs[1].device") { $0.inputs[1].device = "0" },
    Case("configuration.inputs[1].format.size") {
      $0.inputs[1].format = format(nil, .init(width: 7, height: 7))
    },
    Case("configuration.inputs[0].format.size") { $0.inputs[0].format = format(nil, .init(width: 640)) },
    Case("configuration.inputs[1].format.size") {
      $0.inputs[1].format = format(nil, .init(width: 70_000, height: 1))
    },
    Case("configuration.inputs[1].format.pixel_format") { $0.inputs[1].format = format("ABCD") },
    Case("configuration.inputs[0].format.duration") { $0.inputs[0].format = format(nil, nil, (0, 7)) },
    Case("configuration.inputs[1].format.duration") { $0.inputs[1].format = format(nil, nil, (7, 0)) },
    Case("configuration.inputs[1].format.duration") { $0.inputs[1].format = format(nil, nil, (1, 500)) },
    Case("configuration.inputs[1].format.duration") { $0.inputs[1].format = format(nil, nil, (1, 5000)) },
    Case("configuration.inputs[1].format.duration") { $0.inputs[1].format = format("YUYV", nil, (1, 7)) },
    Case("configuration.outputs[1].kind") { $0.outputs[1].kind = .unspecified },
    Case("configuration.outputs[1].kind") { $0.outputs[1].kind = .init(rawValue: 99) },
    Case("configuration.outputs[1].name") { $0.outputs[1].name = "a/b" },
    Case("configuration.outputs[1].name") { $0.outputs[1].name = "video" },
    Case("configuration.outputs") { configuration in
      configuration.outputs = (0..<17).map { .init(name: "\($0)", kind: .video) }
    },
    Case("configuration.connections[1].device") { $0.connections[1].device = "nope" },
    Case("configuration.connections[1].device") { $0.connections[1].device = "2" },
    Case("configuration.connections[1].output") { $0.connections[1].output = "sound" },
    Case("configuration.connections[1].output") { $0.connections[1].output = "video" },
    Case("configuration.connections[0].orientation") { $0.connections[0].orientation = 45 },
    Case("configuration.connections[1].crop_factor") { $0.connections[1].cropFactor = 99 },
    Case("configuration.preset") { $0.preset = .init(rawValue: 99) },
    Case("configuration.preset") { $0.preset = .sessionPreset352x288 },
  ]

  @Test(arguments: refusals, [false, true])
  private func aSessionsRefusalNamesTheWholePath(refusal: Case, isDryRun: Bool) async throws {
    let fixture = try await Fixture(FakeProvider((0..<3).map { FakeCamera("fake-\($0)") }))
    var configuration = Self.usual
    refusal.change(&configuration)
    let request = ConfigureSessionRequest(
      session: "door", configuration: configuration, start: true, dryRun: isDryRun)
    let error = await status {
      _ = try await SessionsClient(fixture.client).configure(request, options: bounded)
    }
    #expect(error?.details?.field == refusal.field, "\(error?.text ?? "not refused")")
    await fixture.stop()
  }

  @Test func aDurationThatIsNotReachedComesWithSeconds() async throws {
    let fixture = try await Fixture(FakeProvider([FakeCamera()]))
    let input = SessionInput(
      device: "0", format: Self.format("YUYV", .init(width: 640, height: 480), (1, 500)))
    let error = await status {
      _ = try await SessionsClient(fixture.client).configure(
        ConfigureSessionRequest(session: "door", configuration: .init(inputs: [input])), options: bounded)
    }
    let details = try #require(error?.details)
    #expect(details.asked == .number(1 / 500) && details.range == .init(1 / 30, 1000))
    await fixture.stop()
  }

  @Test func aFormatThatTheBoundsOfTheFrameDurationExcludeIsNamed() async throws {
    let fixture = try await Fixture(FakeProvider([FakeCamera()]))
    let bounds = FrameDurationChange(maximum: .init(numerator: 1, denominator: 60))
    _ = try await fixture.settings.set(
      SetSettingsRequest(device: "0", change: .init(frameDuration: bounds)), options: bounded)
    let input = SessionInput(device: "0", format: Self.format("YUYV"))
    for isDryRun in [false, true] {
      let request = ConfigureSessionRequest(
        session: "door", configuration: .init(inputs: [input]), dryRun: isDryRun)
      let error = await status {
        _ = try await SessionsClient(fixture.client).configure(request, options: bounded)
      }
      #expect(error?.details?.field == "configuration.inputs[0].format", "\(error?.text ?? "not refused")")
    }
    await fixture.stop()
  }

  @Test func aCameraThatCannotBeHadIsTheInputThatNamesIt() async throws {
    let cameras = (0..<2).map { FakeCamera("fake-\($0)") }
    let fixture = try await Fixture(FakeProvider(cameras))
    let sessions = SessionsClient(fixture.client)
    func refusal(_ session: String, _ dryRun: Bool = false) async -> CaptureError.Details? {
      let request = ConfigureSessionRequest(
        session: session, configuration: Self.usual, start: true, dryRun: dryRun)
      return await status { _ = try await sessions.configure(request, options: bounded) }?.details
    }
    cameras[1].state.withLock {
      $0.startError = CaptureError(.failedPrecondition, "busy", .init(.cameraBusy, holder: "cheese (7)"))
    }
    let busy = await refusal("door")
    #expect(busy?.reason == .cameraBusy && busy?.device == "fake-1")
    #expect(busy?.field == "configuration.inputs[1].device")
    let other = ConfigureSessionRequest(
      session: "other", configuration: .init(inputs: [.init(device: "1")]))
    _ = try await sessions.configure(other, options: bounded)
    for isDryRun in [false, true] {
      let held = await refusal("door", isDryRun)
      #expect(held?.reason == .heldBySession && held?.holder == "other")
      #expect(held?.field == "configuration.inputs[1].device" && held?.device == "fake-1")
    }
    await fixture.stop()
  }
}
