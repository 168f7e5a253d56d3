public import CaptureModel

extension SessionConfiguration {
  /// Throws `invalidArgument` for numbers that this version does not know, and for formats that no camera could have.
  public func model() throws(CaptureError) -> CaptureModel.SessionConfiguration {
    var model = CaptureModel.SessionConfiguration(preset: try preset.model())
    for (index, input) in inputs.enumerated() {
      do throws(CaptureError) {
        model.inputs.append(.init(camera: input.device, format: try input.format?.model()))
      } catch { throw error.below("\(CaptureModel.SessionConfiguration.path(ofInput: index)).format") }
    }
    for (index, output) in outputs.enumerated() {
      do throws(CaptureError) {
        model.outputs.append(.init(name: output.name, kind: try output.kind.model()))
      } catch { throw error.below(CaptureModel.SessionConfiguration.path(ofOutput: index)) }
    }
    for connection in connections { model.connections.append(connection.model) }
    return model
  }
}

extension SessionConnection {
  /// The connection as it was sent. The engine refuses what is impossible.
  public var model: CaptureModel.SessionConnection {
    .init(
      camera: device, output: output, orientation: Int(orientation), isMirrored: mirrored,
      isEnabled: !disabled, cropFactor: cropFactor == 0 ? 1 : cropFactor)
  }
}

extension ActiveFormat {
  /// Throws `invalidArgument` for a size or a fraction of which one half is missing.
  public func model() throws(CaptureError) -> CaptureModel.ActiveFormat {
    return .init(
      pixelFormat: pixelFormat == 0 ? nil : PixelFormat(rawValue: pixelFormat), size: size?.model,
      interval: try duration?.checked(as: "duration"))
  }
}

extension FrameInterval {
  /// `nil` for 0/0, which is no interval. Throws `invalidArgument`, which names `field`, for a fraction of which one half is missing.
  func checked(as field: String) throws(CaptureError) -> CaptureModel.FrameInterval? {
    guard numerator != 0 || denominator != 0 else { return nil }
    if let model { return model }
    throw CaptureError(
      .invalidArgument, "a frame duration of \(numerator)/\(denominator) s is not possible",
      .init(.valueNotPossible, field: field, asked: .text("\(numerator)/\(denominator)")))
  }
}

extension SessionPreset {
  /// `high` where the message names none.
  public func model() throws(CaptureError) -> CaptureModel.SessionPreset {
    if self == .unspecified { return .high }
    guard let known = Self.known.first(where: { $0.wire == self }) else {
      throw CaptureError(
        .invalidArgument, "a preset \(rawValue) is not known here",
        .init(
          .valueNotPossible, field: CaptureModel.SessionConfiguration.presetPath,
          asked: .number(Double(rawValue))))
    }
    return known.model
  }

  public init(_ preset: CaptureModel.SessionPreset) {
    self = Self.known.first { $0.model == preset }!.wire
  }

  private static let known: [(wire: SessionPreset, model: CaptureModel.SessionPreset)] = [
    (.photo, .photo), (.high, .high), (.medium, .medium), (.low, .low),
    (.sessionPreset352x288, .cif352x288), (.sessionPreset640x480, .vga640x480),
    (.sessionPreset1280x720, .hd1280x720), (.sessionPreset1920x1080, .hd1920x1080),
    (.iframe960x540, .iFrame960x540), (.iframe1280x720, .iFrame1280x720), (.inputPriority, .inputPriority),
  ]
}

extension OutputKind {
  func model() throws(CaptureError) -> CaptureModel.SessionConfiguration.Output.Kind {
    switch self {
    case .video: return .video
    case .photo: return .photo
    case .unspecified:
      throw CaptureError(
        .invalidArgument, "an output needs a kind: video or photo",
        .init(.valueMissing, field: "kind", possible: ["video", "photo"]))
    default:
      throw CaptureError(
        .invalidArgument, "a kind of output \(rawValue) is not known here",
        .init(.valueNotPossible, field: "kind", asked: .number(Double(rawValue))))
    }
  }
}

extension SessionState {
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
    status.interruption = interruption.isEmpty ? nil : interruption
    status.subscribers = Int(subscribers)
    if errorCode != 0 || !error.isEmpty {
      status.error = CaptureError(
        CaptureError.Code(rawValue: errorCode) ?? .unknown, error, errorDetails?.model)
    }
    return status
  }
}

extension SessionEvent {
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
  fileprivate var model: CaptureModel.SessionEvent.Interruption {
    switch self {
    case .cameraUnplugged: .cameraUnplugged
    case .cameraInUse: .cameraInUse
    case .nodeDraining: .nodeDraining
    default: .cameraSilent
    }
  }
}
