public import CaptureModel

extension DeviceEvent {
  public init(_ event: CameraRoster.Event) {
    let kind: Kind =
      switch event.kind {
      case .present: .present
      case .appeared: .appeared
      case .vanished: .vanished
      case .changed: .changed
      case .listed: .listed
      }
    self.init(kind: kind, device: event.camera.map { Device($0) })
  }

  /// `nil` for a kind that only newer nodes know.
  package var model: CameraRoster.Event? {
    let kind: CameraRoster.Event.Kind
    switch self.kind {
    case .present: kind = .present
    case .appeared: kind = .appeared
    case .vanished: kind = .vanished
    case .changed: kind = .changed
    case .listed: return .init(kind: .listed)
    default: return nil
    }
    return device.map { .init(kind: kind, camera: $0.values) }
  }
}
