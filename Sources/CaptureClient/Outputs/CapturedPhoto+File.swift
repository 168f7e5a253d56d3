public import CaptureModel
internal import CaptureSystem
internal import Glibc

extension CapturedPhoto {
  /// Writes the JPEG into a file. The file is there as a whole or not at all: a file of that name that was there before stays until then.
  ///
  /// Throws `permissionDenied`, `notFound` where there is no such folder, `resourceExhausted` where the disk is full, or `unknown`, each with the path and the
  /// system's reason.
  public func write(to path: String) throws(CaptureError) {
    // Of this call alone, beside the file: it gets its name by a rename.
    let part = "\(path).\(getpid())-\(UInt32.random(in: 0 ... .max)).part"
    let failure: (call: String, error: Errno)?
    let file = open(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
    if file < 0 {
      failure = ("open", Errno.current)
    } else {
      failure = write(to: file) ?? (rename(part, path) == 0 ? nil : ("rename", Errno.current))
      if failure != nil { unlink(part) }
    }
    guard let failure else { return }
    let codes: [Int32: CaptureError.Code] = [
      ENOSPC: .resourceExhausted, EDQUOT: .resourceExhausted, EACCES: .permissionDenied,
      EPERM: .permissionDenied, EROFS: .permissionDenied, ENOENT: .notFound,
    ]
    throw CaptureError(
      codes[failure.error.rawValue] ?? .unknown,
      "'\(path)' was not written: \(failure.call): \(failure.error)",
      cause: failure.error,
      .init(codes[failure.error.rawValue] == .resourceExhausted ? .diskFull : .unspecified))
  }

  /// Writes and closes the file. Returns what failed.
  private func write(to file: Int32) -> (call: String, error: Errno)? {
    var failure: (call: String, error: Errno)?
    for segment in payload.segments where failure == nil {
      var left = segment[...]
      while !left.isEmpty {
        let count = Glibc.write(file, UnsafeRawBufferPointer(rebasing: left).baseAddress, left.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else {
          failure = ("write", Errno.current)
          break
        }
        left = left.dropFirst(count)
      }
    }
    if failure == nil, fsync(file) != 0, errno != EINVAL { failure = ("fsync", Errno.current) }
    if close(file) != 0, failure == nil { failure = ("close", Errno.current) }
    return failure
  }
}
