import CaptureEngine
import CaptureModel
import CaptureWire

extension SettingsEndpoint {
  func saveProfile(
    _ request: SaveProfileRequest, context: CallContext
  ) async throws -> CaptureWire.SettingsProfile {
    let device = try engine.seen(by: context).device(request.device)
    return try await profileSaves.run(for: device.id) {
      try await device.run { try await $0.profiles.save(request.name, replaces: request.replace) }
    }.message(of: device.id)
  }

  func loadProfile(_ request: LoadProfileRequest, context: CallContext) async throws -> SetSettingsResponse {
    let device = try engine.seen(by: context).device(request.device)
    return try await engine.seen(by: context).withLease(on: device) {
      try await device.run { try await $0.profiles.load(request.name) }
    }.message(of: device.id)
  }

  func listProfiles(
    _ request: ListProfilesRequest, context: CallContext
  ) async throws -> ListProfilesResponse {
    let device = try engine.seen(by: context).device(request.device)
    return ListProfilesResponse(
      profiles: await device.run { $0.profiles.list() }.map { $0.message(of: device.id) })
  }

  func deleteProfile(
    _ request: DeleteProfileRequest, context: CallContext
  ) async throws -> DeleteProfileResponse {
    let device = try engine.seen(by: context).device(request.device)
    try await profileDeletions.run(for: device.id) {
      try await device.run { try await $0.profiles.delete(request.name) }
    }
    return DeleteProfileResponse()
  }
}

extension SavedProfile {
  fileprivate func message(of camera: CameraID) -> CaptureWire.SettingsProfile {
    .init(
      CaptureModel.SettingsProfile(name: name, camera: camera, settings: settings, controls: controls))
  }
}
