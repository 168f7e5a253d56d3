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
  public init(_ model: CaptureModel.SessionConnection) {
    self.init(
      device: model.camera, output: model.output, orientation: UInt32(clamping: model.orientation),
      mirrored: model.isMirrored, disabled: !model.isEnabled, cropFactor: model.cropFactor)
  }

  /// The connection as it was sent. The engine refuses what is impossible.
  public var model: CaptureModel.SessionConnection {
    .init(
      camera: device, output: output, orientation: Int(orientation), isMirrored: mirrored,
      isEnabled: !disabled, cropFactor: cropFactor == 0 ? 1 : cropFactor)
  }
}

extension ActiveFormat {
  public init(_ model: CaptureModel.ActiveFormat) {
    self.init(
      pixelFormat: model.pixelFormat?.rawValue ?? 0, size: model.size.map { Size($0) },
      duration: model.interval.map { FrameInterval($0) })
  }

  /// Throws `invalidArgument` for a duration without a numerator or without a denominator.
  public func model() throws(CaptureError) -> CaptureModel.ActiveFormat {
    return .init(
      pixelFormat: pixelFormat == 0 ? nil : PixelFormat(rawValue: pixelFormat), size: size?.model,
      interval: try duration?.model("duration"))
  }
}

extension OutputKind {
  init(_ model: CaptureModel.SessionConfiguration.Output.Kind) {
    self =
      switch model {
      case .video: .video
      case .photo: .photo
      }
  }

  func model() throws(CaptureError) -> CaptureModel.SessionConfiguration.Output.Kind {
    typealias Kind = CaptureModel.SessionConfiguration.Output.Kind
    if let kind = Kind.allCases.first(where: { OutputKind($0) == self }) { return kind }
    guard self != .unspecified else {
      let names = Kind.allCases.map(\.rawValue)
      throw CaptureError(
        .invalidArgument, "an output needs a kind: \(names.joined(separator: " or "))",
        .init(.valueMissing, field: "kind", possible: names))
    }
    throw CaptureError(
      .invalidArgument, "a kind of output \(rawValue) is not known here",
      .init(.valueNotPossible, field: "kind", asked: .number(Double(rawValue))))
  }
}

extension SessionPreset {
  /// The preset is `high` where the message names none.
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
