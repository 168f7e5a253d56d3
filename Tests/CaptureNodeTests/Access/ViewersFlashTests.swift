import CaptureAccess
import CaptureModel
import CaptureTransport
import CaptureWire
import Testing

@testable import CaptureNode

/// A camera with physics whose flash fires with each photo, as its operator has set it.
@Suite struct ViewersFlashTests {
  private static func photo(
    _ client: ClientConnection, _ device: String, dryRun: Bool = false
  ) async throws -> PhotoEvent {
    var last = PhotoEvent()
    let request = CapturePhotoRequest(
      device: device, settings: PhotoSettings(settle: SettlingBound(longestMs: 0)), dryRun: dryRun)
    for try await event in try await PhotosClient(client).capture(request, options: bounded) { last = event }
    return last
  }

  @Test(.timeLimit(.minutes(2))) func aPhotoOfAViewerDoesNotFireIt() async throws {
    let node = try await NodeWithClients("synthetic:physics:160x120@60,manual")
    let viewer = try await node.client("viewer", [AccessGrant(.view)])
    let desk = try await node.client(
      "desk", [AccessGrant(.control, cameras: CameraScope(["*-0"])), AccessGrant(.view)])
    for device in ["0", "1"] {
      _ = try await SettingsClient(node.admin).set(
        SetSettingsRequest(device: device, change: SettingsChange(flash: LightChange(mode: .on))),
        options: bounded)
    }
    #expect(try await Self.photo(node.admin, "0").flash == .fired)
    #expect(try await Self.photo(viewer, "0").flash == .unspecified)
    #expect(try await Self.photo(viewer, "0", dryRun: true).resolved?.flash == .off)
    // Who controls one camera fires the flash of that one.
    #expect(try await Self.photo(desk, "0").flash == .fired)
    #expect(try await Self.photo(desk, "1").flash == .unspecified)
    let settings = try await SettingsClient(node.admin).get(GetSettingsRequest(device: "0"), options: bounded)
    #expect(settings.flash?.mode == .on, "the camera's mode stays")
    await node.stop(viewer, desk)
  }
}
