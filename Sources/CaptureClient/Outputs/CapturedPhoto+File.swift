public import CaptureModel
internal import CaptureSystem
internal import Glibc

extension CapturedPhoto {
  /// Writes the photo into a file. The file is there as a whole or not at all: a former file of that name stays until the new one is whole.
  ///
  /// Throws `permissionDenied`, `notFound` where there is no such folder, `resourceExhausted` where the disk is full, or `unknown`, each with the
  /// path and the system's reason.
  public func write(to path: String) throws(CaptureError) {
    // Only this call has the temporary name: another may write a photo of the same name now.
    let temporary = "\(path).\(getpid())-\(UInt32.random(in: 0 ... .max)).part"
    do throws(Errno) {
      try SmallFile.replace(path, through: temporary, flags: O_EXCL | O_NOFOLLOW, mode: 0o644) {
        file throws(Errno) in
        try file.write(payload)
      }
    } catch {
      throw .unwritten(path, error)
    }
  }
}
