/// A backend's way to find cameras.
package protocol CameraProvider: AnyObject, Sendable {
  /// Starts looking for cameras. `handler` gets the cameras that are there, then every change, in order. Returns once all cameras that were there have
  /// been reported.
  func start(_ handler: @escaping @Sendable (CameraProviderEvent) -> Void) async
  /// Stops looking, and closes what the backend holds open. It does not wait for a driver without a time limit.
  func stop() async
  /// The cameras that should be served and are not, each with the reason, for a person. Any thread may ask at any time.
  var missing: [String] { get }
}

extension CameraProvider {
  package var missing: [String] { [] }
}

/// A camera came or went.
package enum CameraProviderEvent: Sendable {
  case appeared(any Camera)
  case vanished(CameraID)
}
