import CaptureClient
import CaptureOptions
import CaptureSystem
import Glibc

@Sendable func getAssets(_ context: CommandContext) async throws {
  let arguments = context.arguments
  let ids = arguments.all(Options.gottenAssets)
  let place = arguments[Options.resource]
  if let folder = arguments[Options.newAssets] {
    guard ids.isEmpty, arguments[Options.assetOutput] == nil else {
      throw Misuse("--new names no ASSET and no --output: it gets all that is missing")
    }
    return try await getNew(in: folder, place, context)
  }
  let assets = try await context.library.assets(named: ids)
  if let output = arguments[Options.assetOutput] {
    guard assets.count == 1 else {
      throw Misuse("--output is for one ASSET; several go into the present folder under their own names")
    }
    let (asset, place) = (assets[0], place ?? 0)
    let resource = try asset.resource(place)
    if output == "-" { return try await print(asset, place, context) }
    if let type = PhotoFileType.allCases.first(where: { $0.mediaType == resource.mediaType }) {
      try OutputTarget.file(output).requireName(of: "file \(place) of \(asset.id)", as: type)
    }
    try await get([(asset, place, output)], context)
  } else {
    try await get(
      try assets.map { asset -> Wanted in
        (asset: asset, place: place ?? 0, path: try asset.plainName(of: place ?? 0))
      }, context)
  }
}

private typealias Wanted = (asset: LibraryAsset, place: Int, path: String)

/// Gets the files that a folder does not have yet.
private func getNew(in folder: String, _ place: Int?, _ context: CommandContext) async throws {
  if mkdir(folder, 0o755) != 0, errno != EEXIST {
    throw Failure("cannot make the folder '\(folder)': \(Errno.current)")
  }
  var wanted: [Wanted] = []
  var skipped = 0
  // The oldest first: if the command is cut short, the folder has no gap.
  for asset in try await context.library.assets(context.assetFilter()).reversed() {
    for index in asset.resources.indices where place == nil || place == index {
      let path = "\(folder)/\(try asset.plainName(of: index))"
      if isThere(path, bytes: asset.resources[index].bytes) {
        skipped += 1
      } else {
        wanted.append((asset, index, path))
      }
    }
  }
  try await get(wanted, context, skipped: skipped)
}

extension LibraryAsset {
  /// One of the asset's files. Throws where there is no such file.
  fileprivate func resource(_ place: Int) throws(Failure) -> LibraryResource {
    guard resources.indices.contains(place) else {
      throw Failure("\(id) has \(resources.count) files, numbered from 0")
    }
    return resources[place]
  }

  /// The name of one of the asset's files. Throws where there is no such file, and where the name from the node is no plain one.
  fileprivate func plainName(of place: Int) throws(Failure) -> String {
    try plainFileName(resource(place).name)
  }
}

/// Returns the name that a node has given a file. Throws where it is no plain name: it would be in another folder, or hides some of its characters.
func plainFileName(_ name: String) throws(Failure) -> String {
  guard !name.isEmpty, !name.hasPrefix("."), !name.contains("/"), name == name.printable else {
    throw Failure(
      "the node names a file \(name.quoted), which is no plain name; --output says where it is to go")
  }
  return name
}

private func isThere(_ path: String, bytes: UInt64) -> Bool {
  var status = stat()
  return stat(path, &status) == 0 && UInt64(status.st_size) == bytes
}

private func get(_ wanted: [Wanted], _ context: CommandContext, skipped: Int = 0) async throws {
  let all = wanted.reduce(0 as UInt64) { $0 + $1.asset.resources[$1.place].bytes }
  var done: UInt64 = 0
  var bar = TransferLine(all)
  var written: [JSON] = []
  defer { bar.clear() }
  do {
    for (asset, place, path) in wanted {
      try await context.library.download(asset, resource: place, to: path) { count, _ in
        bar.update(done + count)
      }
      done += asset.resources[place].bytes
      written.append([
        "asset": asset.id, "resource": place, "path": path, "bytes": asset.resources[place].bytes,
      ])
      if !context.arguments[Options.json] {
        bar.clear()
        try Terminal.print("\(path): \(bytesText(asset.resources[place].bytes))\n".printableLines)
      }
    }
  } catch {
    bar.clear()
    if !written.isEmpty { context.printDone(["files": written, "skipped": skipped], before: error) }
    throw error
  }
  bar.clear()
  try context.print(
    ["files": written, "skipped": skipped],
    text: skipped > 0 ? "\(skipped) files were there already.\n" : "")
}

/// Writes a resource to standard output.
private func print(_ asset: LibraryAsset, _ place: Int, _ context: CommandContext) async throws {
  try OutputTarget.standardOutput.requireNoTerminal()
  let output = try OutputFile.standardOutput()
  let hash = SHA256()
  var failure: Failure?
  let resource = try await context.library.read(asset.id, resource: place) { bytes throws(CaptureError) in
    hash.update(bytes)
    do throws(Failure) { try output.write(bytes) } catch {
      failure = error
      throw CaptureError(.cancelled, error.description)
    }
  }
  if let failure { throw failure }
  guard hash.finish() == resource.sha256 else {
    throw Failure("what came of \(asset.id) does not have the node's checksum")
  }
  try output.requireTaken()
}
