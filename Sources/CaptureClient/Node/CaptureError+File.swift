internal import CaptureModel
internal import CaptureSystem
internal import Glibc

extension CaptureError {
  /// A file of this machine that could not be written: the path, and the system's reason.
  static func unwritten(_ path: String, _ error: Errno) -> CaptureError {
    let code: CaptureError.Code =
      switch error.rawValue {
      case ENOSPC, EDQUOT: .resourceExhausted
      case EACCES, EPERM, EROFS: .permissionDenied
      case ENOENT: .notFound
      default: .unknown
      }
    return CaptureError(
      code, "'\(path)' was not written: \(error)", cause: error,
      .init(code == .resourceExhausted ? .diskFull : .unspecified))
  }
}
