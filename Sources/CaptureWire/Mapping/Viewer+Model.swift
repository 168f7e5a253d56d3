import CaptureModel

extension Viewer {
  init(_ viewer: CaptureModel.Viewer) {
    self.init(
      device: viewer.camera.rawValue, kind: viewer.kind.map { OutputKind($0) } ?? .unspecified,
      client: viewer.client ?? "",
      user: viewer.user ?? "", address: viewer.address, ageMs: viewer.age.milliseconds,
      waiting: viewer.isWaiting)
  }

  var model: CaptureModel.Viewer {
    .init(
      camera: CameraID(rawValue: device), kind: try? kind.model(), client: client.isEmpty ? nil : client,
      user: user.isEmpty ? nil : user, address: address,
      age: .milliseconds(Int64(clamping: ageMs)), isWaiting: waiting)
  }
}
