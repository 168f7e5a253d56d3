import CaptureNode
import CaptureSystem
import Glibc

extension LibrarySetup {
  /// Writes a file of the machine: all of it, or nothing. Makes the file's folder.
  func write(_ text: String, to path: String) throws(ConfigurationError) {
    let path = rootFolder + path
    do throws(Errno) {
      if mkdir(SmallFile.folder(of: path), 0o755) != 0, errno != EEXIST { throw Errno.current }
      try SmallFile.replace(path, with: Array(text.utf8))
      if chmod(path, 0o644) != 0 { throw Errno.current }
    } catch {
      throw ConfigurationError("'\(path)' cannot be written: \(error)")
    }
  }
}
