/// A source of cameras: a backend's discovery.
public protocol CameraProvider: AnyObject, Sendable {
  /// Starts looking. `handler` gets the cameras there are, then every change, in order. Returns once the first look is done
  /// (all cameras that were there have been reported).
  func start(_ handler: @escaping @Sendable (CameraEvent) -> Void) async
  /// Stops looking; closes what it holds open. It does not wait for a driver without end.
  func stop() async
  /// What should be served and is not, each with the reason, for a person. Asked at any time, from any thread.
  var missing: [String] { get }
}

extension CameraProvider {
  public var missing: [String] { [] }
}

/// A camera came or went.
public enum CameraEvent: Sendable {
  case appeared(any Camera)
  case vanished(CameraID)
}
