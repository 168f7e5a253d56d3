import CaptureModel

extension CameraDescription {
  package init(_ message: Device) {
    self.init(
      id: CameraID(rawValue: message.id), name: message.name, model: message.model, driver: message.driver,
      bus: message.bus, path: message.path, serial: message.serial, position: .init(message.position),
      isMultiplanar: message.multiplanar,
      unusableReason: message.usable ? nil : message.unusableReason)
  }
}

extension CameraDescription.Position {
  fileprivate init(_ message: Position) {
    switch message {
    case .front: self = .front
    case .back: self = .back
    case .external: self = .external
    default: self = .unspecified
    }
  }
}

extension Responsiveness {
  /// A node that does not report it is taken to respond.
  package init(_ message: DriverResponse) {
    switch message {
    case .slow: self = .slow
    case .notResponding: self = .notResponding
    default: self = .responding
    }
  }
}
