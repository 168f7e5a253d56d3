import CaptureSystem
import Glibc

/// Identifies a file, whatever its names are.
struct FileIdentity: Hashable {
  private let device: dev_t
  private let inode: ino_t

  init(_ status: stat) { (device, inode) = (status.st_dev, status.st_ino) }

  init?(of descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  /// The file of that name itself, not the one to which a link leads.
  init?(at path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Whether the path is the name of the open file, and not of another file that somebody has put there meanwhile.
  static func isName(_ path: String, of descriptor: Int32) -> Bool {
    guard let file = FileIdentity(of: descriptor) else { return false }
    return FileIdentity(at: path) == file
  }

  /// A name that the open file has now; `nil`: it was removed.
  static func name(of descriptor: Int32) -> String? {
    var path = [UInt8](repeating: 0, count: Int(PATH_MAX) + 1)
    let length = path.withUnsafeMutableBytes {
      readlink("/proc/self/fd/\(descriptor)", $0.baseAddress!, $0.count - 1)
    }
    guard length > 0 else { return nil }
    let name = String(decoding: path[..<length], as: UTF8.self)
    return isName(name, of: descriptor) ? name : nil
  }
}
