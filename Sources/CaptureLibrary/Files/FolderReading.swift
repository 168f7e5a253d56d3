import CaptureSystem
import Glibc

/// Reads facts about the files in a folder.
enum FolderReading {
  /// The bytes of a regular file in a folder; `nil`: there is no regular file of that name.
  static func bytes(of name: String, in folder: borrowing OwnedDescriptor) -> Int64? {
    var status = stat()
    guard fstatat(folder.raw, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFREG
    else { return nil }
    return Int64(status.st_size)
  }
}

extension LibraryRoot {
  /// The days that have a folder: "20261125".
  func days() throws(Errno) -> [String] {
    func numbers(_ parts: [String], _ length: Int) throws(Errno) -> [String] {
      try FolderNames.names(in: folder(parts)).filter {
        $0.utf8.count == length && $0.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      }
    }
    var days: [String] = []
    for year in try numbers([], 4) {
      for month in (try? numbers([year], 2)) ?? [] {
        for day in (try? numbers([year, month], 2)) ?? [] { days.append(year + month + day) }
      }
    }
    return days.sorted()
  }

  /// The library's files of a day, and their bytes.
  func files(ofDay day: String) throws(Errno) -> [String: Int64] {
    var files: [String: Int64] = [:]
    do throws(Errno) {
      let folder = try folder(AssetID.folder(ofDay: day))
      for name in try FolderNames.names(in: folder) {
        guard let file = ResourceFile(name), file.asset.day == day,
          let bytes = FolderReading.bytes(of: name, in: folder)
        else { continue }
        files[name] = bytes
      }
    } catch {
      if error.rawValue != ENOENT { throw error }
    }
    return files
  }

  /// Whether a file of a day is there now.
  func has(_ name: String, ofDay day: String) throws(Errno) -> Bool {
    do throws(Errno) {
      return FolderReading.bytes(of: name, in: try folder(AssetID.folder(ofDay: day))) != nil
    } catch {
      if error.rawValue == ENOENT { return false }
      throw error
    }
  }

  /// Removes the files that were being written when a node ended.
  func removeIncoming() throws(Errno) {
    let folder = try folder(Self.incoming.split(separator: "/").map(String.init))
    for name in try FolderNames.names(in: folder) { unlinkat(folder.raw, name, 0) }
  }
}
