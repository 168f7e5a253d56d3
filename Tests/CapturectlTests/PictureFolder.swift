import Foundation

/// A folder of a test's own, which is removed with it.
final class PictureFolder {
  private let directory: URL

  init() throws {
    directory = FileManager.default.temporaryDirectory.appending(path: "pictures-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }
  deinit { try? FileManager.default.removeItem(at: directory) }

  var path: String { directory.path }
  func path(_ name: String) -> String { directory.appending(path: name).path }
  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []).sorted()
  }
  func text(_ name: String) -> String? { try? String(contentsOfFile: path(name), encoding: .utf8) }
}
