import CaptureSynthetic
import CaptureTransport
import CaptureWire
import Testing

/// Every call of the contract, beside a lease of another client.
@Suite(.timeLimit(.minutes(1))) struct LeasedCallsTests {
  /// A call that changes the first camera.
  private struct Change: Sendable {
    var method: MethodDescriptor
    var what = ""
    /// What it comes to for the lease's holder, who may.
    var ending: StatusCode?
    var call: @Sendable (ClientConnection, CallOptions) async throws -> Void
  }

  /// In an order in which each can be done.
  private static let changes = [
    Change(method: DevicesMethods.setControls) { client, options in
      let brightness = ControlAssignment(name: "brightness", kind: .literal("5"))
      _ = try await DevicesClient(client).setControls(
        SetControlsRequest(device: "0", assignments: [brightness]), options: options)
    },
    Change(method: DevicesMethods.selectInput) { client, options in
      _ = try await DevicesClient(client).selectInput(
        SelectInputRequest(device: "0", input: "Synthetic 1"), options: options)
    },
    Change(method: SettingsMethods.set) { client, options in
      let change = SettingsChange(exposure: ExposureChange(time: .duration(0.005)))
      _ = try await SettingsClient(client).set(
        SetSettingsRequest(device: "0", change: change), options: options)
    },
    Change(method: SettingsMethods.reset) { client, options in
      _ = try await SettingsClient(client).reset(ResetSettingsRequest(device: "0"), options: options)
    },
    Change(method: SettingsMethods.loadProfile) { client, options in
      _ = try await SettingsClient(client).loadProfile(
        LoadProfileRequest(device: "0", name: "night"), options: options)
    },
    Change(method: SessionsMethods.configure, what: "has the camera", call: configure("door", ["0"])),
    Change(
      method: SessionsMethods.configure, what: "takes the camera out", call: configure("door", ["1"])),
    // The control does not exist, since a real calibration would take its time.
    Change(method: SettingsMethods.calibrate, ending: .notFound) { client, options in
      let events = try await SettingsClient(client).calibrate(
        CalibrateRequest(device: "0", controls: ["nothing"]), options: options)
      for try await _ in events {}
    },
    Change(method: SessionsMethods.configure, what: "puts it into another", call: configure("hall", ["0"])),
    Change(method: SessionsMethods.start) { client, options in
      _ = try await SessionsClient(client).start(StartSessionRequest(session: "hall"), options: options)
    },
    Change(method: SessionsMethods.stop) { client, options in
      _ = try await SessionsClient(client).stop(StopSessionRequest(session: "hall"), options: options)
    },
    Change(method: SessionsMethods.close) { client, options in
      _ = try await SessionsClient(client).close(CloseSessionRequest(session: "hall"), options: options)
    },
  ]

  private static func configure(
    _ session: String, _ cameras: [String]
  ) -> @Sendable (ClientConnection, CallOptions) async throws -> Void {
    { client, options in
      let configuration = SessionConfiguration(inputs: cameras.map { SessionInput(device: $0) })
      _ = try await SessionsClient(client).configure(
        ConfigureSessionRequest(session: session, configuration: configuration), options: options)
    }
  }

  /// Those that look, take pictures, keep what is, or are about leases themselves.
  private static let others = [
    DevicesMethods.list, DevicesMethods.watch, DevicesMethods.formats, DevicesMethods.controls,
    DevicesMethods.getControls, DevicesMethods.inputs, LeasesMethods.acquire, LeasesMethods.renew,
    LeasesMethods.release,
    LeasesMethods.list, NodeMethods.info, NodeMethods.status, PhotosMethods.capture, SessionsMethods.list,
    SessionsMethods.get, SessionsMethods.events, SettingsMethods.describe, SettingsMethods.get,
    SettingsMethods.awaitChange, SettingsMethods.watch, SettingsMethods.saveProfile,
    SettingsMethods.listProfiles, SettingsMethods.deleteProfile, SettingsMethods.convertWhiteBalance,
    SessionsMethods.presets, VideoMethods.subscribe, VideoMethods.convertPoints,
  ]

  /// Whoever adds one says here whether it changes a camera.
  @Test func everyMethodOfTheContractIsOneOrTheOther() {
    let all =
      DevicesMethods.all + LeasesMethods.all + NodeMethods.all + PhotosMethods.all + SessionsMethods.all
      + SettingsMethods.all + VideoMethods.all
    let changing = Set(Self.changes.map(\.method))
    #expect(changing.isDisjoint(with: Self.others))
    #expect(changing.union(Self.others) == Set(all))
  }

  @Test func noneThatChangesACameraGoesPastALease() async throws {
    let spec = try SyntheticSpec.parse("synthetic:320x240@100")!
    let fixture = try await Fixture(SyntheticProvider(cameras: [spec, spec]))
    let holder = try await ClientConnection.connect(to: fixture.address)
    _ = try await fixture.settings.saveProfile(
      SaveProfileRequest(device: "0", name: "night"), options: bounded)
    try await Self.configure("door", ["0"])(fixture.client, bounded)
    let lease = try await LeasesClient(holder).acquire(
      AcquireLeaseRequest(device: "0", durationMs: 60_000, holder: "studio-a"), options: bounded)
    let before = try await State(fixture)
    // For the calls after this one the session does not have the camera yet.
    for change in Self.changes.prefix(while: { $0.method != SessionsMethods.start }) {
      let refusal = await status { try await change.call(fixture.client, bounded) }
      #expect(refusal?.code == .failedPrecondition, "\(change.method.name) \(change.what)")
      let text = refusal?.text ?? ""
      #expect(
        text.hasPrefix("camera 'synthetic-0' is leased by studio-a for another "),
        "\(change.method.name) \(change.what): \(text)")
    }
    #expect(try await State(fixture) == before)

    let token = CallMetadata(key: "lease", value: Array(lease.token.utf8))
    let allowed = CallOptions(timeout: .seconds(20), metadata: [token])
    for change in Self.changes {
      if [SessionsMethods.start, SessionsMethods.stop, SessionsMethods.close].contains(change.method) {
        // Now it has.
        let refusal = await status { try await change.call(fixture.client, bounded) }
        #expect(refusal?.code == .failedPrecondition, "\(change.method.name)")
        #expect(refusal?.text.contains("is leased by studio-a") == true, "\(change.method.name)")
      }
      let error = await status { try await change.call(holder, allowed) }
      #expect(error?.code == change.ending, "\(change.method.name) \(change.what): \(error?.text ?? "")")
    }
    await holder.close()
    await fixture.stop()
  }

  /// What a refused call must leave as it is.
  private struct State: Equatable {
    var settings: CaptureWire.CameraSettings
    var controls: ControlsResponse
    var profiles: ListProfilesResponse
    var sessions: ListSessionsResponse

    init(_ fixture: Fixture) async throws {
      settings = try await fixture.settings.get(GetSettingsRequest(device: "0"), options: bounded)
      controls = try await fixture.devices.controls(ControlsRequest(device: "0"), options: bounded)
      profiles = try await fixture.settings.listProfiles(ListProfilesRequest(device: "0"), options: bounded)
      sessions = try await SessionsClient(fixture.client).list(options: bounded)
    }
  }
}
