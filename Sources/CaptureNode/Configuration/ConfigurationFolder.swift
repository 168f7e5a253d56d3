import CaptureSystem
import Glibc

/// A node's configuration as it lies on disk: one file, or a folder with `node.json5`, `conf.d/*.json5` and `access.d/*.json5`.
public struct ConfigurationFolder: Sendable {
  private let documents: [JSON5Document<ConfigurationFile>]
  public let access: ConfiguredAccess
  /// Advice for the administrator; `nil`: none.
  public let hint: String?

  /// `path`: a folder, its `node.json5`, or a file that stands alone. Throws for a file that cannot be read, and for a key that is in two files.
  /// Errors in files of `access.d` are not thrown, but are among the problems of ``access``.
  public init(path: String) throws(ConfigurationError) {
    let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    let main = "/node.json5"
    var status = stat()
    let isFolder = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    guard isFolder || path.hasSuffix(main) else {
      (documents, access, hint) = ([try JSON5Document(path: path)], ConfiguredAccess(), nil)
      return
    }
    let folder = isFolder ? path : String(path.dropLast(main.count))
    let (old, isThere) = ("\(folder).json5", Glibc.access(folder + main, F_OK) == 0)
    let hasOld = Glibc.access(old, F_OK) == 0
    hint =
      !hasOld
      ? nil
      : isThere
        ? "\(old) is not read, since there is \(folder)\(main); move the keys that you need there, and remove it"
        : "\(old) is read as before; move it to \(folder)\(main)"
    var files: [String] = []
    if isThere || hasOld || !isFolder { files.append(isThere || !hasOld ? folder + main : old) }
    files += try Self.files(in: folder + "/conf.d")
    documents = try files.map { (file) throws(ConfigurationError) in try JSON5Document(path: file) }
    var places: [String: (file: String, line: Int)] = [:]
    for document in documents {
      for (key, line) in document.keys.sorted(by: { $0.value < $1.value }) {
        if let other = places[key] {
          throw ConfigurationError(
            "\(document.path): line \(line): \(key): is also in \(other.file), line \(other.line); a key is in one file"
          )
        }
        places[key] = (document.path, line)
      }
    }
    do throws(ConfigurationError) {
      access = ConfiguredAccess(files: try Self.files(in: folder + "/access.d"))
    } catch {
      access = ConfiguredAccess(problem: error.description)
    }
  }

  /// The path of the file with a key; `nil`: none has it.
  public func file(of key: String) -> String? { documents.first { $0.keys[key] != nil }?.path }

  /// Returns `settings` with the values of the files.
  public func applied(to settings: NodeSettings) -> NodeSettings {
    var settings = documents.reduce(settings) { $1.contents.applied(to: $0) }
    if let (path, line) = place(of: "tls") { settings.tls?.place = "\(path): line \(line): " }
    (settings.access, settings.hint) = (access, hint)
    return settings
  }

  private func place(of key: String) -> (path: String, line: Int)? {
    documents.lazy.compactMap { document in document.keys[key].map { (document.path, $0) } }.first
  }

  /// The paths of a folder's `*.json5`, in order; none where there is no such folder.
  private static func files(in folder: String) throws(ConfigurationError) -> [String] {
    do throws(Errno) {
      return try FolderNames.names(in: folder).filter { $0.hasSuffix(".json5") && !$0.hasPrefix(".") }
        .sorted().map { "\(folder)/\($0)" }
    } catch {
      if error == .noEntry { return [] }
      throw ConfigurationError("\(folder): cannot be read: \(error)")
    }
  }
}
