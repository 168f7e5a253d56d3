import CaptureModel

@testable import CaptureLibrary

/// What tests ask of an open library.
extension OpenLibrary {
  /// A library in a folder that does nothing by itself.
  static func idle(
    in folder: TestFolder, disk: LibraryDisk = .system,
    _ change: (inout LibraryConfiguration) -> Void = { _ in },
    report: @escaping @Sendable (LibraryNotice) -> Void = { _ in }
  ) throws -> OpenLibrary {
    _ = try LibraryRoot.initialise(folder.path)
    var configuration = LibraryConfiguration(root: folder.path)
    configuration.freeFloor = 0
    change(&configuration)
    return try OpenLibrary(configuration, imaging: .test, disk: disk, report: report)
  }

  /// Adds an asset with one file.
  @discardableResult
  func add(at created: Int64, labels: [String] = []) async throws -> StoredAsset {
    var asset = NewAsset(.captured)
    (asset.created, asset.labels) = (created, labels)
    let addition = AssetAddition(asset, to: self)
    let bytes = picture("\(created)")
    try await addition.begin(.jpeg, bytes: Int64(bytes.count), sha256: nil)
    try await addition.append(bytes)
    return try await addition.finish()
  }

  /// The assets in the index, the latest first.
  func entries() async throws -> [StoredAsset] {
    try await reader.run { index throws(CaptureError) in
      try index.page(AssetFilter(), after: nil, count: 500)
    }
  }
}
