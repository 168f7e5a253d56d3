import CaptureLibrary
import CaptureModel
import CaptureNode
import CaptureSystem
import Glibc

/// Makes a folder the library of the node that is installed on a machine: this one, or one whose files are below another folder, as in an image.
struct LibrarySetup {
  static let configurationFolder = "/etc/capture-node"
  static let configurationFile = configurationFolder + "/conf.d/library.json5"
  static let unitFile = "/etc/systemd/system/capture-node.service.d/library.conf"
  /// The user as whom the packaged unit runs.
  static let user = "_capture-node"
  /// The folder that the packaged unit lets the node write in any case.
  static let stateFolder = "/var/lib/capture-node"
  /// The folders that the packaged unit hides from the node.
  static let hiddenFolders = ["/home", "/root", "/run/user"]

  /// The library's folder as the machine's programs see it.
  let folder: String
  /// The folder below which the machine's files are; empty for this machine.
  let rootFolder: String

  /// `folder`: a path of this machine, or an absolute one of the machine whose files are below `rootFolder`.
  init(_ folder: String, below rootFolder: String?) throws(ConfigurationError) {
    guard !folder.isEmpty, !folder.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
    else {
      throw ConfigurationError(
        "a library is a folder, with a path without control characters, not \(folder.quoted)")
    }
    guard rootFolder == nil || folder.hasPrefix("/") else {
      throw ConfigurationError("with --root FOLDER is an absolute path of that machine, not \(folder.quoted)")
    }
    let parts = folder.split(separator: "/").filter { $0 != "." }
    guard !parts.contains("..") else {
      throw ConfigurationError("a library's path is kept in files, so it has no '..': \(folder.quoted)")
    }
    self.folder = (folder.hasPrefix("/") ? "" : Self.workingFolder) + "/" + parts.joined(separator: "/")
    self.rootFolder = rootFolder.map { $0 == "/" ? "" : $0.hasSuffix("/") ? String($0.dropLast()) : $0 } ?? ""
    guard self.folder != "/" else {
      throw ConfigurationError("a library is a folder of its own, not '/'")
    }
    guard self.folder != Self.stateFolder else {
      throw ConfigurationError(
        "'\(Self.stateFolder)' has the node's state, with what it and its clients prove themselves by; choose a folder of its own in it, "
          + "\(Self.stateFolder)/pictures, or one elsewhere")
    }
  }

  private static var workingFolder: String {
    guard let path = getcwd(nil, 0) else { return "" }
    defer { free(path) }
    return String(cString: path)
  }

  /// Whether a node is installed on the machine.
  var hasNode: Bool { access(rootFolder + Self.configurationFolder + "/node.json5", F_OK) == 0 }

  /// Makes the library, and nothing else. Returns the text for the user.
  func makeLibrary() throws -> String {
    try makeLibrary(of: nil)
      + "The node's configuration names it: library: { root: \(ServiceText.json5(folder)) }\n"
  }

  /// Makes the library, and has the installed node use it. Changes nothing if something is in the way. Returns the text for the user.
  func makeLibraryOfNode() throws -> String {
    guard rootFolder != "" || geteuid() == 0 else {
      throw ConfigurationError(
        "the configuration of the node that is installed here can be changed by root alone: sudo capture-node library init \(folder). "
          + "--mark-only makes the folder a library and leaves the configuration alone")
    }
    if let hidden = Self.hiddenFolders.first(where: { folder == $0 || folder.hasPrefix($0 + "/") }) {
      throw ConfigurationError(
        "the service cannot see the files in \(hidden) (ProtectHome= of its unit); choose a folder elsewhere, such as /srv/pictures"
      )
    }
    let isConfigured = try isConfigured()
    let user = MachineUser(Self.user, below: rootFolder)
    if let user, let root = try openFolder(for: user) { try requireCanGive(root, to: user) }
    try requireOwnDropIn()

    var told = try makeLibrary(of: user)
    if user != nil {
      told += "It belongs to \(Self.user), the user of the node.\n"
    } else {
      told += "There is no user \(Self.user): the folder has to belong to the node's user.\n"
    }
    if !folder.hasPrefix(Self.stateFolder + "/") {
      try write(ServiceText.dropIn(folder), to: Self.unitFile)
      told += "\(Self.unitFile) lets the service write there.\n"
    }
    if !isConfigured {
      do { try write(ServiceText.configuration(folder), to: Self.configurationFile) } catch {
        unlink(rootFolder + Self.unitFile)
        throw error
      }
      told += "\(Self.configurationFile) names it.\n"
    }
    if rootFolder.isEmpty {
      told += "The node uses it after: sudo systemctl daemon-reload && sudo systemctl restart capture-node\n"
    }
    return told
  }

  /// Whether the configuration names this folder already. Throws if it names another folder.
  private func isConfigured() throws -> Bool {
    let configuration = try ConfigurationFolder(path: rootFolder + Self.configurationFolder)
    guard let file = configuration.file(of: "library"),
      let root = configuration.applied(to: NodeSettings()).library?.root
    else { return false }
    guard root == folder else {
      throw ConfigurationError(
        "the node has a library already, \(root), by \(file.dropFirst(rootFolder.utf8.count)); remove that key or file first, or change it by hand"
      )
    }
    return true
  }

  /// Throws if ``unitFile`` exists and was not written by this command.
  private func requireOwnDropIn() throws {
    guard let there = try? SmallFile.text(of: rootFolder + Self.unitFile),
      !there.hasPrefix("# " + ServiceText.author)
    else { return }
    throw ConfigurationError(
      "\(Self.unitFile) is there, and was not written by 'library init'; rename it, and run this again")
  }
}
