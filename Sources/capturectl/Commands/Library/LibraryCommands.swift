import CaptureClient
import CaptureOptions

extension CommandContext {
  var library: RemoteLibrary { node.library }

  /// The assets that the command's filters select.
  func assetFilter() async throws -> LibraryFilter {
    var filter = LibraryFilter()
    if let name = arguments[Options.assetCamera] { filter.camera = try await identity(of: name) }
    filter.from = arguments[Options.since]
    filter.until = arguments[Options.until]
    filter.labels = arguments.all(Options.label)
    filter.sequence = arguments[Options.assetSequence]
    return filter
  }

  /// The identity of the camera that the node has under this name; otherwise the name itself, as the identity of a camera that was there once.
  func identity(of name: String) async throws -> CameraID {
    let cameras = try await node.cameras()
    if let camera = cameras.first(where: { $0.name == name || $0.info.map { "\($0.index)" } == name }) {
      return CameraID(rawValue: camera.name)
    }
    let some = cameras.filter { $0.name.contains(name) }
    return CameraID(rawValue: some.count == 1 ? some[0].name : name)
  }
}

@Sendable func listAssets(_ context: CommandContext) async throws {
  let assets = try await context.library.assets(
    context.assetFilter(), limit: context.arguments[Options.assetCount] ?? .max)
  try context.print(["assets": assets], text: assetTable(assets))
}

@Sendable func removeAssets(_ context: CommandContext) async throws {
  let asked = context.arguments.all(Options.assets)
  let deleted = try await context.library.delete(asked)
  try context.print(
    ["deleted": deleted],
    text: deleted.map { "Deleted \($0.printable).\n" }.joined())
  let missing = asked.filter { !deleted.contains($0) }
  guard missing.isEmpty else {
    throw Failure("the library has no asset \(missing.map(\.quoted).joined(separator: ", "))")
  }
}

@Sendable func labelAssets(_ context: CommandContext) async throws {
  let arguments = context.arguments
  let (add, remove) = (arguments.all(Options.addedLabel), arguments.all(Options.removedLabel))
  guard !add.isEmpty || !remove.isEmpty else {
    throw Misuse("name labels with --add LABEL or --remove LABEL")
  }
  let assets = try await context.library.label(arguments.all(Options.assets), add: add, remove: remove)
  try context.print(["assets": assets], text: assetTable(assets))
}

@Sendable func showLibrary(_ context: CommandContext) async throws {
  let status = try await context.library.status()
  let authorization = try await context.library.authorization()
  try context.print(JSON(status, authorization), text: statusText(status, authorization))
}

func assetTable(_ assets: [LibraryAsset]) -> String {
  guard !assets.isEmpty else { return "There are no pictures.\n" }
  return TextTable(
    "ASSET", "TAKEN", .flexible("CAMERA"), "SIZE", .number("BYTES"), .flexible("LABELS"), of: assets
  ) { asset in
    [
      asset.id, Moment.text(asset.created), asset.camera?.rawValue ?? "", asset.size.map { "\($0)" } ?? "",
      bytesText(asset.bytes), asset.labels.joined(separator: ", "),
    ]
  }.text()
}

private func statusText(_ status: LibraryStatus, _ authorization: LibraryAuthorization) -> String {
  let state =
    switch status.state {
    case .open: status.isReconciling ? "open; files and index are being compared" : "open"
    case .notConfigured: "none: \(status.reason)"
    default: "not available: \(status.reason)"
    }
  let list: TextList = ["state": state, "root": status.root.isEmpty ? nil : status.root]
  let rights: TextList = [
    "you may":
      "add: \(authorization.add.rawValue), read: \(authorization.read.rawValue), delete: \(authorization.delete.rawValue)"
  ]
  return (list + (status.state == .open ? contents(status) : [:]) + rights).text()
}

/// What an open library has.
private func contents(_ status: LibraryStatus) -> TextList {
  let ends = status.oldest.flatMap { oldest in status.newest.map { (oldest, $0) } }
  let isDifferent = status.recovered + status.lost + status.setAside > 0
  return [
    "pictures":
      "\(status.assets), \(bytesText(status.bytes))\(status.quota.map { " of at most \(bytesText($0))" } ?? "")",
    "taken": ends.map { "\(Moment.text($0)) to \(Moment.text($1))" },
    "free": "\(bytesText(status.free)), of which \(bytesText(status.freeFloor)) stay free",
    "when full": status.removesOldest ? "the oldest are removed" : "adding is refused",
    "removed after": status.maximumAge.map { "\($0) days" },
    "differences": isDifferent
      ? "\(status.recovered) files had no entry, \(status.lost) entries no file, \(status.setAside) files were set aside"
      : nil,
  ]
}
