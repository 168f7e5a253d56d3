public import CaptureModel

extension SessionState {
  public init(_ model: SessionStatus) {
    self.init(
      session: model.name, named: model.isNamed, running: model.isRunning, revision: model.revision,
      configuration: SessionConfiguration(model.configuration),
      activeFormats: model.activeFormats.map { $0.map { ActiveFormat($0) } ?? ActiveFormat() },
      interruption: model.interruption ?? "", subscribers: UInt32(clamping: model.subscribers),
      owner: model.owner, error: model.error?.message ?? "", errorCode: model.error?.code.rawValue ?? 0,
      connectionLimits: model.connectionLimits.map { ConnectionLimits($0) },
      errorDetails: model.error?.details.map { ErrorDetails($0) },
      inputMedia: model.configuration.inputs.map { MediaType($0.media) },
      outputMedia: model.configuration.outputs.map { MediaType($0.kind.media) })
  }

  /// The status without those parts that only newer nodes know.
  public var model: SessionStatus {
    let configuration = self.configuration ?? SessionConfiguration()
    var known = CaptureModel.SessionConfiguration(preset: (try? configuration.preset.model()) ?? .high)
    known.inputs = configuration.inputs.map { .init(camera: $0.device, format: try? $0.format?.model()) }
    known.outputs = configuration.outputs.compactMap { output in
      (try? output.kind.model()).map { .init(name: output.name, kind: $0) }
    }
    known.connections = configuration.connections.map(\.model)
    var status = SessionStatus(name: session, isNamed: named, configuration: known, owner: owner)
    status.isRunning = running
    status.revision = revision
    status.activeFormats = activeFormats.map { format in
      let model = try? format.model()
      return model?.size == nil ? nil : model
    }
    status.connectionLimits = connectionLimits.map(\.model)
    status.interruption = interruption.isEmpty ? nil : interruption
    status.subscribers = Int(subscribers)
    if errorCode != 0 || !error.isEmpty {
      status.error = CaptureError(
        CaptureError.Code(rawValue: errorCode) ?? .unknown, error, errorDetails?.model)
    }
    return status
  }
}

extension ConnectionLimits {
  fileprivate init(_ limits: CaptureModel.ConnectionLimits) {
    self.init(
      output: limits.output, orientations: limits.orientations.map { UInt32($0.rawValue) },
      mirroring: limits.isMirroringSupported, maximumCropFactor: limits.maximumCropFactor)
  }

  fileprivate var model: CaptureModel.ConnectionLimits {
    .init(
      output: output, orientations: orientations.compactMap { Orientation(rawValue: Int($0)) },
      isMirroringSupported: mirroring, maximumCropFactor: maximumCropFactor)
  }
}

extension PresetSupport {
  package init(_ preset: CaptureModel.SessionPreset, _ stream: Result<StreamRequest, CaptureError>) {
    self.init(preset: SessionPreset(preset))
    switch stream {
    case .success(let stream):
      format = ActiveFormat(
        .init(pixelFormat: stream.pixelFormat, size: stream.size, interval: stream.interval))
    case .failure(let error):
      (refusal, refusalCode) = (error.message, error.code.rawValue)
      refusalDetails = error.details.map { ErrorDetails($0) }
    }
  }

  /// The format, or why there is none; `nil`: only a newer node knows the preset.
  package var model:
    (preset: CaptureModel.SessionPreset, format: Result<CaptureModel.ActiveFormat, CaptureError>)?
  {
    guard let preset = try? preset.model() else { return nil }
    if let format = try? format?.model() { return (preset, .success(format)) }
    let code = CaptureError.Code(rawValue: refusalCode) ?? .unknown
    return (preset, .failure(CaptureError(code, refusal, refusalDetails?.model)))
  }
}

extension SessionEvent {
  public init(_ model: CaptureModel.SessionEvent) {
    self.init(text: model.text, state: SessionState(model.status))
    switch model.kind {
    case .status: kind = .state
    case .started: kind = .started
    case .stopped: kind = .stopped
    case .configured: kind = .configured
    case .runtimeError: kind = .runtimeError
    case .interrupted(let interruption): (kind, reason) = (.interrupted, Reason(interruption))
    case .interruptionEnded: kind = .interruptionEnded
    case .closed: kind = .closed
    }
  }

  /// `nil` for an event that only newer nodes know.
  public var model: CaptureModel.SessionEvent? {
    let kind: CaptureModel.SessionEvent.Kind
    switch self.kind {
    case .state: kind = .status
    case .started: kind = .started
    case .stopped: kind = .stopped
    case .configured: kind = .configured
    case .runtimeError: kind = .runtimeError
    case .interrupted: kind = .interrupted(reason.model)
    case .interruptionEnded: kind = .interruptionEnded
    case .closed: kind = .closed
    default: return nil
    }
    return .init(kind, text: text, status: (state ?? SessionState()).model)
  }
}

extension SessionEvent.Reason {
  fileprivate init(_ interruption: CaptureModel.SessionEvent.Interruption) {
    self =
      switch interruption {
      case .cameraUnplugged: .cameraUnplugged
      case .cameraInUse: .cameraInUse
      case .nodeDraining: .nodeDraining
      case .cameraSilent: .cameraSilent
      }
  }

  fileprivate var model: CaptureModel.SessionEvent.Interruption {
    switch self {
    case .cameraUnplugged: .cameraUnplugged
    case .cameraInUse: .cameraInUse
    case .nodeDraining: .nodeDraining
    default: .cameraSilent
    }
  }
}
