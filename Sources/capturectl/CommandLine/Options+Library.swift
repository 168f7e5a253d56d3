import CaptureClient
import CaptureOptions

extension Options {
  static let assets = Positional(
    .text("ASSET", completion: .names(.assets)), .oneOrMore,
    help: "An asset's name, as 'library list' shows it.")
  static let gottenAssets = Positional(
    .text("ASSET", completion: .names(.assets)), .oneOrMore, unless: newAssets,
    help: "An asset's name, as 'library list' shows it.")
  static let uploads = Positional(
    .file(), .oneOrMore, help: "A JPEG, PNG or DNG; each becomes an asset.")

  static let assetCamera = Option(
    "camera", .text("CAMERA", completion: .names(.cameras)),
    help: "Only of this camera: its index, its identity or a part of it, as 'devices' shows them.")
  static let uploadCamera = Option(
    "camera", .text("CAMERA", completion: .names(.cameras)),
    help: "The camera that took it: its index, its identity or a part of it, as 'devices' shows them.")
  static let since = Option(
    "since", .moment,
    help: "Only assets taken then or later: 2026-11-25, 2026-11-25T08:15:02Z; -3600 is an hour ago.")
  static let until = Option("until", .moment, help: "Only assets taken before then.")
  static let label = Option("label", .text("LABEL"), help: "Only with this label.", isRepeatable: true)
  static let newLabel = Option(
    "label", .text("LABEL"),
    help: "Give it this label. With the label 'keep' the node itself never removes it.", isRepeatable: true)
  static let assetSequence = Option(
    "sequence", .text("NAME"), help: "Only assets that were taken together under this name.")
  static let newSequence = Option("sequence", .text("NAME"), help: "The name of those that belong together.")
  static let created = Option("created", .moment, help: "When it was taken. (default: now)")
  static let assetCount = Option(
    "count", short: "n", .integer("N", in: 1...1_000_000_000), help: "The latest N at most.")
  static let addedLabel = Option("add", .text("LABEL"), help: "Add this label.", isRepeatable: true)
  static let removedLabel = Option("remove", .text("LABEL"), help: "Remove this label.", isRepeatable: true)
  static let newAssets = Option(
    "new", .text("FOLDER", completion: .files),
    help:
      "Get the assets that FOLDER does not have yet; --camera, --since, --until, --label and --sequence select among them."
  )
  static let assetOutput = Option(
    "output", short: "o", .file(),
    help: "Where the file goes; - is standard output. Only with one ASSET. (default: its name on the node)")
  static let resource = Option(
    "resource", .integer("N", in: 0...7),
    help: "Which of the asset's files, from 0. (default: the first; with --new all)")
  static let fromToken = Option(
    "from", .text("TOKEN"), help: "Begin with the changes after this token, a 'token' that --json printed.")
  static let execute = Option(
    "exec", .text("COMMAND"),
    help:
      "Run COMMAND with sh, here, for each change, one after the other. It has CAPTURE_EVENT (added, changed, deleted, reset), CAPTURE_ASSET and CAPTURE_TOKEN; "
      + "and CAPTURE_NODE and CAPTURE_CREDENTIAL_FILE as --node and --credential-file are, so that capturectl in it talks to the same node."
  )
  static let sheetOutput = Option(
    "output", short: "o", .file(), help: "The file of the sheet, a JPEG; - is standard output.",
    defaultText: "sheet.jpg")
  static let columns = Option(
    "columns", .integer("N", in: 1...40), help: "How many pictures a row has.", defaultText: "6")
  static let store = Flag(
    "store", help: "Keep the photo in the node's library. Without --output it is not sent here.")
}
