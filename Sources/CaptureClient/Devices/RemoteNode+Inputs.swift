import CaptureModel
import CaptureWire

extension RemoteNode {
  /// The sources that the camera can take its picture from, the one in use with its status and signal. Empty: it has none to choose from.
  public func inputs(of camera: String) async throws(RPCError) -> [CaptureModel.CameraInput] {
    try await DevicesClient(connection).inputs(InputsRequest(camera: camera), options: callOptions)
      .inputs.map(\.model)
  }

  /// Takes the picture from another input, by name or index, and keeps to it. A stream that runs goes on with it. Returns the inputs as they are then;
  /// throws `notFound` naming those there are.
  @discardableResult
  public func selectInput(
    _ input: String, of camera: String
  ) async throws(RPCError) -> [CaptureModel.CameraInput] {
    try await DevicesClient(connection).selectInput(
      SelectInputRequest(camera: camera, input: input), options: callOptions
    ).inputs.map(\.model)
  }
}
