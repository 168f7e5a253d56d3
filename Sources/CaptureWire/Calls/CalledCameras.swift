public import CaptureModel
import Synchronization

/// The cameras that a call turned out to be for, in the order in which its service found them.
public final class CalledCameras: Sendable {
  private let cameras = Mutex<[CameraID]>([])
  private let firstFound: (@Sendable (CameraID) -> Void)?

  /// `firstFound` is called with the first camera.
  public init(firstFound: (@Sendable (CameraID) -> Void)? = nil) { self.firstFound = firstFound }

  public var all: [CameraID] { cameras.withLock { $0 } }

  public func add(_ camera: CameraID) {
    let isFirst = cameras.withLock { cameras in
      guard !cameras.contains(camera) else { return false }
      cameras.append(camera)
      return cameras.count == 1
    }
    if isFirst { firstFound?(camera) }
  }
}
