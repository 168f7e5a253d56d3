import CaptureModel
import CaptureWire

extension RemoteNode {
  /// The inputs from which the camera can take its picture. The one in use has its status and signal. Empty: the camera has no choice.
  public func inputs(of camera: String) async throws(RPCError) -> [CaptureModel.CameraInput] {
    try await DevicesClient(connection).inputs(InputsRequest(device: camera), options: callOptions)
      .inputs.map(\.model)
  }

  /// Takes the picture from another input, by name or index, and keeps that choice. A running stream goes on with it. Returns the inputs as they are
  /// then. Throws `notFound`, which lists the inputs.
  @discardableResult
  public func selectInput(
    _ input: String, of camera: String
  ) async throws(RPCError) -> [CaptureModel.CameraInput] {
    try await DevicesClient(connection).selectInput(
      SelectInputRequest(device: camera, input: input), options: callOptions
    ).inputs.map(\.model)
  }
}
