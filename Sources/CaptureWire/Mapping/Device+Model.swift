public import CaptureModel

extension Device {
  public init(_ entry: CameraRoster.Entry) {
    let camera = entry.description
    self.init(
      index: UInt32(entry.index), id: camera.id.rawValue, name: camera.name, model: camera.model,
      driver: camera.driver, bus: camera.bus, path: camera.path, serial: camera.serial,
      position: Position(camera.position), present: entry.isPresent,
      usable: camera.unusableReason == nil, unusableReason: camera.unusableReason ?? "",
      multiplanar: camera.isMultiplanar, response: DriverResponse(entry.response),
      media: camera.media.map { MediaType($0) }, capturingPhoto: entry.isCapturingPhoto)
  }

  /// The camera that the message describes. This is not called `model`, since the message has a field of that name.
  package var values: CameraRoster.Entry {
    var entry = CameraRoster.Entry(
      index: Int(index), description: camera, isPresent: present, response: response.model)
    entry.isCapturingPhoto = capturingPhoto
    return entry
  }

  var camera: CameraDescription {
    var camera = CameraDescription(
      id: CameraID(rawValue: id), name: name, model: model, driver: driver, bus: bus, path: path,
      serial: serial, position: position.model, isMultiplanar: multiplanar,
      unusableReason: usable ? nil : unusableReason)
    // Media types that only newer nodes know are left out.
    camera.media = media.compactMap(\.known)
    return camera
  }
}

extension DriverResponse {
  public init(_ response: Responsiveness) {
    self =
      switch response {
      case .responding: .responding
      case .slow: .slow
      case .notResponding: .notResponding
      }
  }

  /// If the node does not report a response, the driver counts as responding.
  package var model: Responsiveness {
    switch self {
    case .slow: .slow
    case .notResponding: .notResponding
    default: .responding
    }
  }
}

extension Position {
  public init(_ position: CameraDescription.Position) {
    self =
      switch position {
      case .unspecified: .unspecified
      case .front: .front
      case .back: .back
      case .external: .external
      }
  }

  fileprivate var model: CameraDescription.Position {
    switch self {
    case .front: .front
    case .back: .back
    case .external: .external
    default: .unspecified
    }
  }
}
