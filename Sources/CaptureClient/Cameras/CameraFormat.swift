public import CaptureModel
internal import CaptureWire

/// A pixel format that a camera offers, and what can be done with frames in it (`AVCaptureDevice.Format`).
public struct CameraFormat: Hashable, Sendable {
  /// The pixel format with its sizes and frame intervals.
  public var description: CaptureModel.FormatDescription
  /// Whether the node makes JPEG of its frames, and into what it converts them.
  public var abilities: FormatAbilities

  public init(description: CaptureModel.FormatDescription, abilities: FormatAbilities) {
    (self.description, self.abilities) = (description, abilities)
  }
}

extension Camera {
  /// Pixel formats with their sizes and frame intervals (`AVCaptureDevice.formats`).
  /// Throws `notFound` where the node has no such camera, and `unavailable` where it is unplugged.
  public func formats() async throws(CaptureError) -> [CameraFormat] {
    try await convertingErrors { () async throws(RPCError) in
      try await DevicesClient(node.connection).formats(
        FormatsRequest(device: name), options: node.callOptions
      ).formats.map {
        CameraFormat(description: $0.model, abilities: $0.abilities)
      }
    }
  }

  /// Every preset, with the format that the camera would get, or the reason why it has none (`canSetSessionPreset`). A preset that this program does
  /// not know is left out.
  /// Throws `notFound` where the node has no such camera, and `unavailable` where it is unplugged.
  public func presets() async throws(CaptureError) -> [(
    preset: CaptureModel.SessionPreset, format: Result<CaptureModel.ActiveFormat, CaptureError>
  )] {
    try await convertingErrors { () async throws(RPCError) in
      try await SessionsClient(node.connection).presets(
        PresetsRequest(device: name), options: node.callOptions
      ).presets.compactMap(\.model)
    }
  }

  /// The inputs from which the camera can take its picture. The one in use has its status and signal. Empty: the camera has no choice.
  /// Throws `notFound` where the node has no such camera, and `unavailable` where it is unplugged.
  public func inputs() async throws(CaptureError) -> [CaptureModel.CameraInput] {
    try await convertingErrors { () async throws(RPCError) in
      try await DevicesClient(node.connection).inputs(InputsRequest(device: name), options: node.callOptions)
        .inputs.map(\.model)
    }
  }

  /// Takes the picture from another input, by name or index, and keeps that choice. A running stream goes on with the new input. Returns the inputs
  /// after the change. Throws `notFound`, which lists the inputs, where the camera has no such input.
  @discardableResult
  public func selectInput(_ input: String) async throws(CaptureError) -> [CaptureModel.CameraInput] {
    try await convertingErrors { () async throws(RPCError) in
      try await DevicesClient(node.connection).selectInput(
        SelectInputRequest(device: name, input: input), options: node.callOptions
      ).inputs.map(\.model)
    }
  }
}

extension RemoteNode {
  /// The pixel formats in which an origin's raw frames may come: those of a camera, or those at which a session's cameras run.
  package func pixelFormats(of origin: PictureOrigin) async throws(CaptureError) -> [PixelFormat] {
    switch origin {
    case .camera(let name): return try await camera(name).formats().map(\.description.pixelFormat)
    case .session(let name, _):
      return try await session(name).status().activeFormats.compactMap { $0?.pixelFormat }
    }
  }
}
