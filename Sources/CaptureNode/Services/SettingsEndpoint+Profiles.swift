import CaptureEngine
import CaptureModel
import CaptureWire

extension SettingsEndpoint {
  func saveProfile(
    _ request: SaveProfileRequest, context: CallContext
  ) async throws -> CaptureWire.SettingsProfile {
    let device = try engine.seen(by: context).device(request.device)
    return .init(
      device.id, try await device.run { try await $0.profiles.save(request.name, replaces: request.replace) })
  }

  func loadProfile(_ request: LoadProfileRequest, context: CallContext) async throws -> SetSettingsResponse {
    let device = try engine.seen(by: context).device(request.device)
    return SetSettingsResponse(
      device.id,
      try await engine.seen(by: context).withLease(on: device) {
        try await device.run { try await $0.profiles.load(request.name) }
      })
  }

  func listProfiles(
    _ request: ListProfilesRequest, context: CallContext
  ) async throws -> ListProfilesResponse {
    let device = try engine.seen(by: context).device(request.device)
    return ListProfilesResponse(
      profiles: await device.run { $0.profiles.list() }.map { .init(device.id, $0) })
  }

  func deleteProfile(
    _ request: DeleteProfileRequest, context: CallContext
  ) async throws -> DeleteProfileResponse {
    try await engine.seen(by: context).device(request.device).run {
      try await $0.profiles.delete(request.name)
    }
    return DeleteProfileResponse()
  }
}

extension CaptureWire.SettingsProfile {
  fileprivate init(_ camera: CameraID, _ profile: SavedProfile) {
    self.init(
      CaptureModel.SettingsProfile(
        name: profile.name, camera: camera, settings: profile.settings, controls: profile.controls))
  }
}
