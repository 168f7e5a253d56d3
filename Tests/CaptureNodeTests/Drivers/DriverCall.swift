import CaptureTransport
import CaptureWire
import Testing

/// A call of the contract, as clients of the first camera make it. Of a stream it waits for the first message.
struct DriverCall: Sendable, CustomTestStringConvertible {
  let method: MethodDescriptor
  private let kind: String
  /// Whether the node may know all of the answer.
  let mayBeKnown: Bool
  let make: @Sendable (ClientConnection) async throws -> Void

  /// `kind`: what tells it from other calls of the method.
  init(
    _ method: MethodDescriptor, _ kind: String = "", mayBeKnown: Bool = false,
    _ make: @escaping @Sendable (ClientConnection) async throws -> Void
  ) {
    (self.method, self.kind, self.mayBeKnown, self.make) = (method, kind, mayBeKnown, make)
  }

  var testDescription: String { kind.isEmpty ? method.name : "\(method.name): \(kind)" }
}

/// Calls that wait for the camera's driver.
extension DriverCall {
  /// They fail while it does not answer. The camera has a profile "old"; the session "door" has the camera where a call names it.
  static let failing = ofDevices + ofSettings + ofPictures + ofSessions

  private static let ofDevices = [
    DriverCall(DevicesMethods.formats, mayBeKnown: true) { client in
      _ = try await DevicesClient(client).formats(FormatsRequest(device: "0"), options: bounded)
    },
    DriverCall(DevicesMethods.controls) { client in
      _ = try await DevicesClient(client).controls(ControlsRequest(device: "0"), options: bounded)
    },
    DriverCall(DevicesMethods.getControls) { client in
      _ = try await DevicesClient(client).getControls(
        GetControlsRequest(device: "0", names: ["gain"]), options: bounded)
    },
    DriverCall(DevicesMethods.setControls) { client in
      let gain = ControlAssignment(name: "gain", kind: .literal("3"))
      _ = try await DevicesClient(client).setControls(
        SetControlsRequest(device: "0", assignments: [gain]), options: bounded)
    },
    DriverCall(DevicesMethods.inputs) { client in
      _ = try await DevicesClient(client).inputs(InputsRequest(device: "0"), options: bounded)
    },
    DriverCall(DevicesMethods.selectInput) { client in
      _ = try await DevicesClient(client).selectInput(
        SelectInputRequest(device: "0", input: "TV 0"), options: bounded)
    },
  ]

  private static let ofSettings = [
    DriverCall(SettingsMethods.describe, mayBeKnown: true) { client in
      _ = try await SettingsClient(client).describe(DescribeSettingsRequest(device: "0"), options: bounded)
    },
    DriverCall(SettingsMethods.get) { client in
      _ = try await SettingsClient(client).get(GetSettingsRequest(device: "0"), options: bounded)
    },
    DriverCall(SettingsMethods.set) { client in
      let change = SettingsChange(exposure: ExposureChange(amplification: .gain(5)))
      _ = try await SettingsClient(client).set(
        SetSettingsRequest(device: "0", change: change), options: bounded)
    },
    DriverCall(SettingsMethods.reset) { client in
      _ = try await SettingsClient(client).reset(ResetSettingsRequest(device: "0"), options: bounded)
    },
    DriverCall(SettingsMethods.watch, mayBeKnown: true) { client in
      let events = try await SettingsClient(client).watch(
        WatchSettingsRequest(device: "0"), options: bounded)
      for try await _ in events { break }
    },
    DriverCall(SettingsMethods.calibrate) { client in
      let events = try await SettingsClient(client).calibrate(
        CalibrateRequest(device: "0"), options: bounded)
      for try await _ in events { break }
    },
    DriverCall(SettingsMethods.convertWhiteBalance, mayBeKnown: true) { client in
      let colour = ConvertWhiteBalanceRequest.Colour.temperature(TemperatureAndTint(temperature: 5_000))
      _ = try await SettingsClient(client).convertWhiteBalance(
        ConvertWhiteBalanceRequest(device: "0", colour: colour), options: bounded)
    },
    DriverCall(SettingsMethods.saveProfile) { client in
      _ = try await SettingsClient(client).saveProfile(
        SaveProfileRequest(device: "0", name: "new"), options: bounded)
    },
    DriverCall(SettingsMethods.loadProfile) { client in
      _ = try await SettingsClient(client).loadProfile(
        LoadProfileRequest(device: "0", name: "old"), options: bounded)
    },
  ]

  private static let ofPictures = [
    DriverCall(VideoMethods.subscribe) { client in
      let frames = try await VideoClient(client).subscribe(SubscribeRequest(device: "0"), options: bounded)
      for try await _ in frames { break }
    },
    photo("one", PhotoSettings()),
    photo("only described", PhotoSettings(), dryRun: true),
    photo("one with an id", PhotoSettings(requestID: "one")),
    photo("a burst", PhotoSettings(burst: 2)),
    photo("a bracket", PhotoSettings(bracket: [1, -1].map { BracketStep(compensation: .bias($0)) })),
  ]

  private static func photo(
    _ kind: String, _ settings: PhotoSettings, dryRun: Bool = false
  ) -> DriverCall {
    DriverCall(PhotosMethods.capture, kind) { client in
      let events = try await PhotosClient(client).capture(
        CapturePhotoRequest(device: "0", settings: settings, dryRun: dryRun), options: bounded)
      for try await _ in events { break }
    }
  }

  private static let ofSessions = [
    configure("hall", "a new one"),
    configure("hall", "only checked", dryRun: true),
    configure("hall", "one that starts", start: true),
    DriverCall(SessionsMethods.presets) { client in
      _ = try await SessionsClient(client).presets(PresetsRequest(device: "0"), options: bounded)
    },
    DriverCall(SessionsMethods.start) { client in
      _ = try await SessionsClient(client).start(StartSessionRequest(session: "door"), options: bounded)
    },
  ]

  static func configure(
    _ session: String, _ kind: String = "", start: Bool = false, dryRun: Bool = false
  ) -> DriverCall {
    DriverCall(SessionsMethods.configure, kind) { client in
      let configuration = SessionConfiguration(inputs: [SessionInput(device: "0")])
      _ = try await SessionsClient(client).configure(
        ConfigureSessionRequest(
          session: session, configuration: configuration, start: start, dryRun: dryRun),
        options: bounded)
    }
  }

  /// These end well also where it does not answer, as they only let go of the camera. The session "door" runs.
  static let lettingGo = [
    DriverCall(SessionsMethods.stop) { client in
      _ = try await SessionsClient(client).stop(StopSessionRequest(session: "door"), options: bounded)
    },
    DriverCall(SessionsMethods.close) { client in
      _ = try await SessionsClient(client).close(CloseSessionRequest(session: "door"), options: bounded)
    },
  ]

  /// These end well, too: the photos that the camera does not give are only missing.
  static let timelapse = DriverCall(JobsMethods.start) { client in
    let settings = TimelapseSettings(device: "0", intervalMs: 604_800_000)
    _ = try await JobsClient(client).start(StartJobRequest(timelapse: settings), options: bounded)
  }
  static let endOfTimelapses = DriverCall(JobsMethods.control) { client in
    for job in try await JobsClient(client).list(options: bounded).jobs {
      _ = try await JobsClient(client).control(
        ControlJobRequest(id: job.id, action: .stop), options: bounded)
    }
  }
}
