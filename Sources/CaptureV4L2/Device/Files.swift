import CaptureSystem
import Glibc

/// The names in a directory, sorted; none where it cannot be read.
func names(in directory: String) -> [String] {
  guard let stream = opendir(directory) else { return [] }
  defer { closedir(stream) }
  var names: [String] = []
  while let entry = readdir(stream) {
    let name = text(entry.pointee.d_name)
    if name != ".", name != ".." { names.append(name) }
  }
  return names.sorted()
}

/// The text of a small file (sysfs, procfs); `nil` where it cannot be read.
func contents(_ path: String) -> String? { try? SmallFile.text(of: path) }

/// The number of the device that a path leads to, links followed (`st_rdev`); `nil` for what is no device.
func deviceNumber(_ path: String) -> UInt64? {
  var status = stat()
  guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFCHR else { return nil }
  return UInt64(status.st_rdev)
}

/// A path without links; `nil` where it leads nowhere.
func resolved(_ path: String) -> String? {
  guard let result = realpath(path, nil) else { return nil }
  defer { free(result) }
  return String(cString: result)
}
