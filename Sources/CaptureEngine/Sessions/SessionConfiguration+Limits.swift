import CaptureModel

extension SessionConfiguration {
  /// The limits of the connections. `stream`: returns a camera's stream, and how its pictures can be processed.
  func limits(_ stream: (_ camera: String) -> (StreamRequest, Imaging)?) -> [ConnectionLimits] {
    connections.compactMap { connection in
      guard let output = outputs.first(where: { $0.name == connection.output }),
        let (format, imaging) = stream(connection.camera)
      else { return nil }
      return ConnectionLimits(
        to: output, size: format.size, isEncodable: imaging.isEncodable(format.pixelFormat),
        isTurnable: imaging.isTurnable(format.pixelFormat))
    }
  }
}
