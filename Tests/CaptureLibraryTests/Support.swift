import CaptureLibrary
import CaptureModel
import CaptureSystem
import Glibc
import Testing

/// A folder of this test alone, which is removed with it.
final class TestFolder: Sendable {
  let path: String

  init() {
    var template = Array("/tmp/capture-library-XXXXXX".utf8CString)
    path = template.withUnsafeMutableBufferPointer { String(cString: mkdtemp($0.baseAddress!)) }
  }

  deinit { Self.remove(path) }

  static func remove(_ path: String) {
    for name in names(path) {
      if unlink(path + "/" + name) != 0 { remove(path + "/" + name) }
    }
    rmdir(path)
  }

  static func names(_ path: String) -> [String] {
    ((try? FolderNames.names(in: path)) ?? []).sorted()
  }

  /// All files below the folder, by their paths in it, except for the index.
  var files: [String] {
    func below(_ path: String) -> [String] {
      Self.names(self.path + path).flatMap { name -> [String] in
        var status = stat()
        lstat(self.path + path + "/" + name, &status)
        return status.st_mode & S_IFMT == S_IFDIR ? below(path + "/" + name) : [path + "/" + name]
      }
    }
    return below("").map { String($0.dropFirst()) }.filter {
      !$0.hasPrefix(".capture-library/") || $0.hasPrefix(".capture-library/incoming/")
        || $0.hasPrefix(".capture-library/set-aside/")
    }
  }
}

extension LibraryImaging {
  /// A picture is whatever begins with "picture"; its thumbnail is its first byte and its length.
  static let test = LibraryImaging { bytes, type throws(CaptureError) in
    guard bytes.starts(with: Array("picture".utf8)) else {
      throw CaptureError(
        .invalidArgument, "no \(type.rawValue)", .init(.contentMismatch, field: "resource.media_type"))
    }
    return Examination(
      size: FrameSize(width: 64, height: 48),
      thumbnail: PictureThumbnail(
        size: FrameSize(width: 16, height: 12), jpeg: [1, UInt8(bytes.count & 255)]))
  }
}

func picture(_ text: String = "") -> Payload { Payload(copying: Array("picture \(text)".utf8)) }

extension PhotoLibrary {
  /// A library in a folder, open.
  static func opened(
    _ folder: TestFolder, _ change: (inout LibraryConfiguration) -> Void = { _ in }
  ) async throws -> PhotoLibrary {
    _ = try LibraryRoot.initialise(folder.path)
    var configuration = LibraryConfiguration(root: folder.path)
    configuration.freeFloor = 0
    change(&configuration)
    let library = PhotoLibrary(configuration, imaging: .test)
    await library.start()
    return library
  }

  @discardableResult
  func add(_ text: String, at created: Int64? = nil, labels: [String] = [], device: String = "") async throws
    -> StoredAsset
  {
    var asset = NewAsset(.captured)
    (asset.created, asset.labels, asset.device) = (created, labels, device)
    return try await add(asset, [(.jpeg, picture(text))])
  }

  func all(_ filter: AssetFilter = AssetFilter()) async throws -> [StoredAsset] {
    var (assets, token): ([StoredAsset], String?) = ([], nil)
    repeat {
      let page = try await list(filter, after: token, count: 2)
      assets += page.assets
      token = page.next
    } while token != nil
    return assets
  }

  /// Waits until files and index have been compared.
  func reconciled() async throws -> LibraryStatistics {
    while true {
      if case .open(let statistics) = await state(), !statistics.isReconciling { return statistics }
      try await Task.sleep(for: .milliseconds(5))
    }
  }
}

/// The error of `body`; `nil`: none.
func failure(_ body: () async throws -> Void) async -> CaptureError? {
  do {
    try await body()
    return nil
  } catch {
    return error as? CaptureError
  }
}
