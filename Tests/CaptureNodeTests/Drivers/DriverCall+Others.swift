import CaptureTransport
import CaptureWire

/// Calls that need no driver.
extension DriverCall {
  /// Those about cameras. The session "door" has the camera, and that has a profile "old".
  static let answered = [
    DriverCall(DevicesMethods.list) { client in
      _ = try await DevicesClient(client).list(options: bounded)
    },
    DriverCall(DevicesMethods.watch) { client in
      for try await _ in try await DevicesClient(client).watch(options: bounded) { break }
    },
    DriverCall(JobsMethods.list) { client in
      _ = try await JobsClient(client).list(options: bounded)
    },
    DriverCall(LeasesMethods.acquire) { client in
      _ = try await LeasesClient(client).acquire(AcquireLeaseRequest(device: "0"), options: bounded)
    },
    DriverCall(LeasesMethods.list) { client in
      _ = try await LeasesClient(client).list(options: bounded)
    },
    DriverCall(NodeMethods.info) { client in
      _ = try await NodeClient(client).info(options: bounded)
    },
    DriverCall(NodeMethods.status) { client in
      _ = try await NodeClient(client).status(options: bounded)
    },
    DriverCall(SessionsMethods.list) { client in
      _ = try await SessionsClient(client).list(options: bounded)
    },
    DriverCall(SessionsMethods.get) { client in
      _ = try await SessionsClient(client).get(GetSessionRequest(session: "door"), options: bounded)
    },
    DriverCall(SessionsMethods.events) { client in
      let events = try await SessionsClient(client).events(
        SessionEventsRequest(session: "door"), options: bounded)
      for try await _ in events { break }
    },
    DriverCall(SettingsMethods.listProfiles) { client in
      _ = try await SettingsClient(client).listProfiles(ListProfilesRequest(device: "0"), options: bounded)
    },
    DriverCall(SettingsMethods.deleteProfile) { client in
      _ = try await SettingsClient(client).deleteProfile(
        DeleteProfileRequest(device: "0", name: "old"), options: bounded)
    },
  ]

  /// Those that no test here makes: they wait for frames alone, are about a lease or a job that there is, or name no camera.
  static let others: [MethodDescriptor] =
    [
      SettingsMethods.awaitChange, LeasesMethods.renew, LeasesMethods.release, JobsMethods.watch,
      VideoMethods.convertPoints,
    ] + AccessMethods.all + LibraryMethods.all + TestMethods.all
}
