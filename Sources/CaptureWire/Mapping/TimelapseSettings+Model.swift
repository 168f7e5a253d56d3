package import CaptureModel

extension TimelapseSettings {
  /// `count`: the number of the timelapse's photos; `nil`: it goes on until it is stopped.
  package init(
    _ photo: PhotoSettings, device: String, every interval: Duration, count: UInt64?, locksExposure: Bool,
    labels: [String]
  ) {
    self.init(
      device: device, intervalMs: UInt64(max(0, min((interval / .milliseconds(1)).rounded(), 1e18))),
      count: count ?? 0, photo: photo, lockExposure: locksExposure ? .first : .never,
      labels: labels)
  }
}

extension NodeJob {
  /// A job with these settings that has taken no photo yet.
  package init(_ id: String, _ state: State, of settings: TimelapseSettings, started: Int64) {
    self.init(
      id: id, state: state, camera: CameraID(rawValue: settings.device),
      interval: .milliseconds(Int64(clamping: settings.intervalMs)), started: started)
    count = settings.count == 0 ? nil : settings.count
    (locksExposure, labels) = (settings.lockExposure == .first, settings.labels)
  }
}
