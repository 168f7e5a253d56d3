import Glibc

/// Reads whole files: configuration, state, and the kernel's own (procfs, sysfs).
package enum SmallFile {
  /// Returns all bytes of a file. Throws `EFBIG` for a file with more bytes than `limit`.
  package static func bytes(of path: String, upTo limit: Int) throws(Errno) -> [UInt8] {
    let file = try OwnedDescriptor(path: path, flags: O_RDONLY)
    return try bytes(from: file.raw, upTo: limit)
  }

  /// Reads a descriptor to its end. Throws `EFBIG` if there are more bytes than `limit`.
  package static func bytes(from descriptor: Int32, upTo limit: Int) throws(Errno) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while bytes.count <= limit {
      let count = try retryingInterrupts { read(descriptor, &buffer, buffer.count) }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
    }
    throw Errno(rawValue: EFBIG)
  }

  /// The text of a file of up to 64 KiB, without the white space around it.
  package static func text(of path: String) throws(Errno) -> String {
    let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
    let bytes = try bytes(of: path, upTo: 1 << 16).drop(while: isSpace)
    let end = bytes.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? bytes.startIndex
    return String(decoding: bytes[..<end], as: UTF8.self)
  }
}
