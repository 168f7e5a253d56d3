public import CaptureModel

extension CameraInput {
  public init(_ input: CaptureModel.CameraInput) {
    self.init(
      index: UInt32(clamping: input.index), name: input.name, kind: InputKind(input.kind),
      selected: input.isSelected, status: InputStatus(input.status), flags: input.flags,
      signal: input.signal.map { InputSignal($0) }, detected: input.detected.map { InputSignal($0) })
  }

  public var model: CaptureModel.CameraInput {
    CaptureModel.CameraInput(
      index: Int(index), name: name, kind: kind.model, isSelected: selected, status: status.model,
      flags: flags, signal: signal?.model, detected: detected?.model)
  }
}

extension InputSignal {
  public init(_ signal: CaptureModel.InputSignal) {
    switch signal {
    case .standard(let name): self.init(standard: name)
    case .timings(let timings):
      self.init(
        size: Size(timings.size), interval: timings.interval.map { FrameInterval($0) },
        interlaced: timings.isInterlaced)
    }
  }

  /// `nil` for a signal without values.
  public var model: CaptureModel.InputSignal? {
    if !standard.isEmpty { return .standard(standard) }
    return size?.model.map {
      .timings(VideoTimings(size: $0, interval: interval?.model, isInterlaced: interlaced))
    }
  }
}

extension InputKind {
  public init(_ kind: CaptureModel.CameraInput.Kind) {
    self =
      switch kind {
      case .unknown: .unspecified
      case .tuner: .tuner
      case .camera: .camera
      case .touch: .touch
      }
  }

  var model: CaptureModel.CameraInput.Kind {
    switch self {
    case .tuner: .tuner
    case .camera: .camera
    case .touch: .touch
    default: .unknown
    }
  }
}

extension InputStatus {
  public init(_ status: CaptureModel.InputStatus?) {
    self =
      switch status {
      case nil: .unspecified
      case .ready: .ready
      case .noPower: .noPower
      case .noSignal: .noSignal
      case .unstable: .unstable
      case .outOfRange: .outOfRange
      }
  }

  /// `nil` where the node reports no status, or one that only newer nodes know.
  var model: CaptureModel.InputStatus? {
    switch self {
    case .ready: .ready
    case .noPower: .noPower
    case .noSignal: .noSignal
    case .unstable: .unstable
    case .outOfRange: .outOfRange
    default: nil
    }
  }
}
