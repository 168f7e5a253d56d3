import CaptureModel
import CaptureSystem
import Glibc

/// Turns an error of a system call on a video node into a message for a person.
struct DeviceFailure: Sendable {
  var path: String

  /// Runs `body`. `what` ("listing formats") names the operation in the error.
  func wrap<R>(_ what: String, _ body: () throws(Errno) -> R) throws(CaptureError) -> R {
    do throws(Errno) {
      return try body()
    } catch {
      throw self(error, what)
    }
  }

  func callAsFunction(_ error: Errno, _ what: String) -> CaptureError {
    switch error.rawValue {
    case ENODEV, ENXIO, ENOENT:
      CaptureError(.unavailable, "\(path) is gone: it was unplugged", cause: error, .init(.cameraUnplugged))
    case EBUSY:
      CaptureError(
        .failedPrecondition, "\(path) is in use by \(DeviceUsers.description(of: path)): \(what) failed",
        cause: error, .init(.cameraBusy, holder: DeviceUsers.description(of: path)))
    case EACCES, EPERM:
      CaptureError(
        .permissionDenied, "\(path): no permission for \(what); members of its group (\"video\") have it",
        cause: error, .init(.noPermission))
    case EMFILE:
      CaptureError(
        .resourceExhausted,
        "\(path): \(what) failed: \(error); close connections to the node, or allow it more open files",
        cause: error, .init(.noMemory))
    case ENFILE, ENOMEM:
      CaptureError(
        .resourceExhausted, "\(path): \(what) failed: \(error)", cause: error, .init(.noMemory))
    default:
      CaptureError(.unavailable, "\(path): \(what) failed: \(error)", cause: error, .init(.driverFailed))
    }
  }

  /// The error for a camera that the kernel has, but whose node was never in /dev.
  var neverThere: CaptureError {
    CaptureError(
      .unavailable,
      "\(path) does not exist, though the kernel has the camera: a container has to be given the device, as by 'docker run --device \(path)'",
      cause: Errno(rawValue: ENOENT), .init(.cameraUnusable))
  }
}

extension CaptureError {
  /// Whether the error means that the camera is no longer there.
  var isUnplugged: Bool { cause?.isUnplugged ?? false }
}

extension Errno {
  /// Whether the error means that the camera is no longer there.
  var isUnplugged: Bool { [ENODEV, ENXIO, ENOENT].contains(rawValue) }

  /// Whether the error is that of a camera that is gone or does not answer, and not that of one of its controls. uvcvideo waits for some seconds
  /// before it reports `ETIMEDOUT`.
  var isOfCamera: Bool { isUnplugged || self == .timedOut }
}
