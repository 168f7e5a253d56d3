public import CaptureModel

extension LeaseInfo {
  public init(_ lease: CameraLease) {
    self.init(
      token: lease.token?.rawValue ?? "", device: lease.camera, holder: lease.holder,
      remainingMs: UInt32(clamping: lease.remaining.milliseconds),
      outlivesConnection: lease.outlivesConnection)
  }

  package var model: CameraLease {
    .init(
      token: token.isEmpty ? nil : LeaseToken(rawValue: token), camera: device, holder: holder,
      remaining: .milliseconds(Int64(remainingMs)), outlivesConnection: outlivesConnection)
  }
}
