public import CaptureModel

extension SessionConfiguration {
  public init(_ model: CaptureModel.SessionConfiguration) {
    self.init(
      inputs: model.inputs.map {
        SessionInput(device: $0.camera, format: $0.format.map { ActiveFormat($0) })
      },
      outputs: model.outputs.map {
        SessionOutput(name: $0.name, kind: OutputKind($0.kind))
      },
      connections: model.connections.map { SessionConnection($0) }, preset: SessionPreset(model.preset))
  }
}

extension OutputKind {
  fileprivate init(_ model: CaptureModel.SessionConfiguration.Output.Kind) {
    self =
      switch model {
      case .video: .video
      case .photo: .photo
      }
  }
}

extension SessionConnection {
  public init(_ model: CaptureModel.SessionConnection) {
    self.init(
      device: model.camera, output: model.output, orientation: UInt32(clamping: model.orientation),
      mirrored: model.isMirrored, disabled: !model.isEnabled, cropFactor: model.cropFactor)
  }
}

extension ActiveFormat {
  public init(_ model: CaptureModel.ActiveFormat) {
    self.init(
      pixelFormat: model.pixelFormat?.rawValue ?? 0, size: model.size.map { Size($0) },
      duration: model.interval.map { FrameInterval($0) })
  }
}

extension SessionState {
  public init(_ model: SessionStatus) {
    self.init(
      session: model.name, named: model.isNamed, running: model.isRunning, revision: model.revision,
      configuration: SessionConfiguration(model.configuration),
      activeFormats: model.activeFormats.map { $0.map { ActiveFormat($0) } ?? ActiveFormat() },
      interruption: model.interruption ?? "", subscribers: UInt32(clamping: model.subscribers),
      owner: model.owner, error: model.error?.message ?? "", errorCode: model.error?.code.rawValue ?? 0,
      connectionLimits: model.configuration.connections.map { ConnectionLimits(output: $0.output) },
      errorDetails: model.error?.details.map { ErrorDetails($0) })
  }
}

extension ConnectionLimits {
  /// Every connection can turn, mirror and crop.
  fileprivate init(output: String) {
    self.init(
      output: output, orientations: Orientation.allCases.map { UInt32($0.rawValue) }, mirroring: true,
      maximumCropFactor: CaptureModel.SessionConnection.cropFactors.upperBound)
  }
}

extension PresetSupport {
  package init(_ preset: CaptureModel.SessionPreset, _ stream: Result<StreamRequest, CaptureError>) {
    self.init(preset: SessionPreset(preset))
    switch stream {
    case .success(let stream):
      format = ActiveFormat(
        .init(pixelFormat: stream.pixelFormat, size: stream.size, interval: stream.interval))
    case .failure(let error): refusal = error.message
    }
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
}
