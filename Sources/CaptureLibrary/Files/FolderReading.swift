import CaptureSystem
import Glibc

/// Reads facts about the files in a folder.
enum FolderReading {
  /// The bytes of a regular file in a folder; `nil`: there is no regular file of that name. Throws where the disk does not tell.
  static func bytes(of name: String, in folder: borrowing OwnedDescriptor) throws(Errno) -> Int64? {
    var status = stat()
    guard fstatat(folder.raw, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
      if errno == ENOENT { return nil }
      throw .current
    }
    return status.st_mode & S_IFMT == S_IFREG ? Int64(status.st_size) : nil
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

  /// The library's files of a day, and their bytes. `unknown`: the assets that have a file of which the disk does not tell anything.
  func files(ofDay day: String) throws(Errno) -> (files: [String: Int64], unknown: Set<AssetID>) {
    var files: [String: Int64] = [:]
    var unknown: Set<AssetID> = []
    do throws(Errno) {
      let folder = try folder(AssetID.folder(ofDay: day))
      for name in try FolderNames.names(in: folder) {
        guard let file = ResourceFile(name), file.asset.day == day else { continue }
        do throws(Errno) {
          files[name] = try FolderReading.bytes(of: name, in: folder)
        } catch {
          unknown.insert(file.asset)
        }
      }
    } catch {
      if error.rawValue != ENOENT { throw error }
    }
    return (files, unknown)
  }

  /// Whether a file of a day is there now.
  func has(_ name: String, ofDay day: String) throws(Errno) -> Bool {
    do throws(Errno) {
      return try FolderReading.bytes(of: name, in: folder(AssetID.folder(ofDay: day))) != nil
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
