import CaptureModel
import CaptureNode
import CaptureOptions
import CaptureSystem
import Glibc

extension NodeProgram {
  static let libraryFolder = Positional(
    .text("FOLDER", completion: .files),
    help: "The folder for the pictures. It is made if it is missing; the folder above it has to be there.")
  static let markOnly = Flag(
    "mark-only", help: "Only make FOLDER a library; change no configuration and no owner.")
  static let rootFolder = Option(
    "root", .text("DIR", completion: .files),
    help:
      "Do this to the machine whose files are below DIR, as in an image; FOLDER is a path of that machine.")

  static let initLibrary = Command(
    "init", summary: "Make a folder a library for pictures.",
    discussion: [
      "The folder gets a mark, without which the node writes nothing there, so that a mount point stays empty while its disk is away.",
      "Where the package is installed, the folder is given to the node's user, and two files let the node use it from its next start: "
        + "\(LibrarySetup.configurationFile) names it, and \(LibrarySetup.unitFile) lets the service write there. "
        + "No other file is changed. If something is in the way, nothing is.",
    ],
    positionals: [libraryFolder.declaration], options: [markOnly, rootFolder],
    examples: [
      .init("sudo capture-node library init /srv/pictures", "A library of the node that is installed here."),
      .init(
        "capture-node library init --mark-only pictures", "One for a node with a configuration of its own."),
      .init(
        "sudo capture-node library init --root /mnt/image /srv/pictures",
        "A library of the machine in an image."),
    ])
  static let library = Command(
    "library", summary: "Prepare where the node keeps pictures.", commands: [initLibrary])

  /// Runs `library init`. Returns the exit status.
  static func runLibrary(_ arguments: Arguments) -> Int32 {
    let folder = arguments[libraryFolder] ?? ""
    let text: String
    do {
      let setup = try LibrarySetup(folder, below: arguments[rootFolder])
      text = try arguments[markOnly] || !setup.hasNode ? setup.makeLibrary() : setup.makeLibraryOfNode()
    } catch {
      Log.write("capture-node: \("\(error)".abridged(to: 4000))\n", to: STDERR_FILENO)
      return 1
    }
    return print(text)
  }

  /// Prints what a command was asked for. Returns the exit status.
  static func print(_ text: String) -> Int32 {
    do throws(CaptureError) {
      try Log.print(text)
      return 0
    } catch {
      Log.write("capture-node: \(error)\n", to: STDERR_FILENO)
      return 1
    }
  }
}
