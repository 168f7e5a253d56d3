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

/// The first 4 KiB of a small file (sysfs, procfs) without the white space around them; `nil` where it cannot be read.
func contents(_ path: String) -> String? {
  guard let file = try? OwnedDescriptor(path: path, flags: O_RDONLY) else { return nil }
  var bytes = [UInt8](repeating: 0, count: 4096)
  let count = read(file.raw, &bytes, bytes.count)
  guard count >= 0 else { return nil }
  let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
  let body = bytes[..<count].drop(while: isSpace).reversed().drop(while: isSpace).reversed()
  return String(decoding: body, as: UTF8.self)
}

/// Where a symbolic link points; `nil` for what is none.
func linkTarget(_ path: String) -> String? {
  var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
  let count = bytes.withUnsafeMutableBytes { readlink(path, $0.baseAddress!, $0.count) }
  return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
}

/// A path without links; `nil` where it leads nowhere.
func resolved(_ path: String) -> String? {
  guard let result = realpath(path, nil) else { return nil }
  defer { free(result) }
  return String(cString: result)
}
