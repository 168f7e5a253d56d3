package import CaptureModel

extension PendingAccess {
  /// `seconds`: how long the request waits if nobody decides.
  package init(_ pending: CaptureModel.PendingAccess, for seconds: UInt32) {
    self.init(
      client: pending.client, number: pending.number, role: Role(pending.role), cameras: pending.cameras,
      wanted: WantedAccess(pending.wanted, for: seconds), devices: pending.devices.map(\.rawValue),
      peer: pending.peer, grants: pending.grants.map { Grant($0) },
      approved: pending.approved.map { Grant($0) }, fingerprint: pending.fingerprint.bytesOfHex ?? [])
  }

  package var model: CaptureModel.PendingAccess {
    .init(
      client: client, number: number, fingerprint: fingerprint.hexDigits, role: role.model ?? .view,
      cameras: cameras, grants: grants.compactMap(\.model), approved: approved.compactMap(\.model),
      wanted: (wanted ?? WantedAccess()).model, devices: devices.map { CameraID(rawValue: $0) }, peer: peer)
  }
}

extension WantedAccess {
  /// `seconds`: how long the request waits if nobody decides.
  init(_ wanted: CaptureModel.WantedAccess, for seconds: UInt32) {
    self.init(
      cameras: wanted.cameras, role: Role(wanted.role), askedS: UInt64(clamping: wanted.asked),
      seconds: seconds, media: [Medium](wanted.media))
  }

  var model: CaptureModel.WantedAccess {
    .init(role: role.model, cameras: cameras, media: media.model, asked: Int64(clamping: askedS))
  }
}
