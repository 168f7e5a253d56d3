import CaptureSystem
import Glibc

extension CaptureBench {
  /// Reads the first `byteCount` bytes of a file: a picture.
  static func picture(in path: String, byteCount: Int) throws -> [UInt8] {
    guard let file = fopen(path, "rb") else { throw Failure(path, cannotBe: "opened", .current) }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: byteCount)
    let length = fread(&bytes, 1, byteCount, file)
    let reason = Errno.current
    if ferror(file) != 0 { throw Failure(path, cannotBe: "read", reason) }
    guard length == byteCount else {
      throw Failure("'\(path)' has \(length) bytes, and a picture of that size has \(byteCount)")
    }
    return bytes
  }

  /// Writes a payload into a file.
  static func writeFile(_ payload: Payload, to path: String) throws {
    guard let file = fopen(path, "wb") else { throw Failure(path, cannotBe: "opened", .current) }
    var written = 0
    for segment in payload.segments { written += fwrite(segment.baseAddress, 1, segment.count, file) }
    guard fclose(file) == 0, written == payload.count else {
      throw Failure(path, cannotBe: "written", .current)
    }
  }
}
