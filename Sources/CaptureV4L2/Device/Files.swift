import CaptureSystem
import Glibc

/// The names in a directory, sorted; none where there is no directory. Throws where it cannot be read at present.
func names(in directory: String) throws(Errno) -> [String] {
  do throws(Errno) { return try FolderNames.names(in: directory).sorted() } catch {
    if error.saysThatNothingIsThere { return [] }
    throw error
  }
}

/// The text of a small file (sysfs, procfs); `nil` where there is none to read. Throws where it cannot be read at present.
func contents(_ path: String) throws(Errno) -> String? {
  do throws(Errno) {
    return try SmallFile.text(of: path)
  } catch {
    if error.saysThatNothingIsThere { return nil }
    throw error
  }
}

extension Errno {
  /// Whether the error means that there is no such file or directory, or nothing to read in it. Other errors, such as too few descriptors, say
  /// nothing about it.
  fileprivate var saysThatNothingIsThere: Bool {
    [ENOENT, ENOTDIR, ENODEV, ENXIO, EACCES, EPERM, EISDIR, EINVAL, EIO].contains(rawValue)
  }
}

/// The number (`st_rdev`) of the device to which a path leads, through links too; `nil` where it leads to no character device.
func deviceNumber(_ path: String) -> UInt64? {
  var status = stat()
  guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFCHR else { return nil }
  return UInt64(status.st_rdev)
}

/// The path without links; `nil` where it leads nowhere.
func resolved(_ path: String) -> String? {
  guard let result = realpath(path, nil) else { return nil }
  defer { free(result) }
  return String(cString: result)
}
