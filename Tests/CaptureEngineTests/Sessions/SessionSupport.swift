import CaptureEngine
import CaptureModel

extension SessionConfiguration {
  /// One camera, an output "video", an output "photo".
  static func of(_ camera: String, preset: SessionPreset = .vga640x480) -> SessionConfiguration {
    SessionConfiguration(
      inputs: [.init(camera: camera)],
      outputs: [.init(name: "video", kind: .video), .init(name: "photo", kind: .photo)], preset: preset)
  }

  /// At an exact format.
  static func of(_ camera: String, _ format: ActiveFormat) -> SessionConfiguration {
    var configuration = of(camera)
    configuration.inputs[0].format = format
    return configuration
  }
}

extension ActiveFormat {
  static let rawVGA = ActiveFormat(pixelFormat: .yuyv, size: FrameSize(width: 640, height: 480))
  static let rawHD = ActiveFormat(pixelFormat: .yuyv, size: FrameSize(width: 1280, height: 720))
  static let jpegHD = ActiveFormat(pixelFormat: .mjpeg, size: FrameSize(width: 1280, height: 720))
}

let someone = SessionOwner(connection: 1, name: "client 1 (unix)")

/// What `body` is refused with.
func refusal(_ body: () async throws -> Void) async -> CaptureError? {
  do {
    try await body()
    return nil
  } catch {
    return error as? CaptureError
  }
}
