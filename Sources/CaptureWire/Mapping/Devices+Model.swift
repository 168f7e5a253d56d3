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
      media: [.video])
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
}

extension FormatDescription {
  /// `jpeg`: whether the node can deliver it as JPEG; `conversion`: which part of the software converts it.
  public init(
    _ format: CaptureModel.FormatDescription, jpeg: Bool, by conversion: CaptureModel.JPEGConversion? = nil
  ) {
    self.init(
      pixelFormat: format.pixelFormat.rawValue, description: format.description,
      compressed: format.isCompressed, emulated: format.isEmulated, sizes: format.sizes.map(SizeOption.init),
      jpeg: jpeg, jpegConversion: Conversion(conversion))
  }
}

extension Conversion {
  public init(_ conversion: CaptureModel.JPEGConversion?) {
    self =
      switch conversion {
      case nil: .unspecified
      case .asItIs: .none
      case .libyuv: .libyuv
      case .libv4lconvert: .libv4lconvert
      case .node: .node
      }
  }

  /// `nil` where the node makes no JPEG of it, or where a later node names a converter that this version does not know.
  public var model: CaptureModel.JPEGConversion? {
    switch self {
    case .none: .asItIs
    case .libyuv: .libyuv
    case .libv4lconvert: .libv4lconvert
    case .node: .node
    default: nil
    }
  }
}

extension SizeOption {
  public init(_ option: CaptureModel.SizeOption) {
    self.init(minimum: Size(option.minimum), maximum: Size(option.maximum), step: Size(option.step))
    current = option.current.map(Size.init)
    switch option.intervals {
    case .unknown: break
    case .discrete(let intervals): self.intervals = intervals.map(FrameInterval.init)
    case .range(let minimum, let maximum, let step):
      minimumInterval = FrameInterval(minimum)
      maximumInterval = FrameInterval(maximum)
      stepInterval = step.map(FrameInterval.init)
    }
  }
}
