/// The files of a day on the disk.
struct DayListing: Sendable {
  /// The names of the files, and their bytes.
  var files: [String: Int64]
  /// The assets that are left as they are. These are, first, those that were being added just after that: where an asset has a file here and still no
  /// entry when the index is read later, it is among them, unless nobody was adding it, even if its addition ended in between. Second, those that have
  /// a file of which the disk does not tell anything: it may be there again once the disk was repaired.
  var spared: Set<AssetID>
}

/// How the files of a day and the index differ.
struct DayDifference: Sendable {
  /// An asset whose files are there without an entry.
  struct Found: Sendable {
    var id: AssetID
    var resources: [StoredResource]
  }

  var found: [Found] = []
  /// Assets whose first file is gone or not whole.
  var gone: [AssetID] = []
  /// Files that are not whole, or that belong to no asset.
  var broken: [String] = []

  /// `files`, `entries`: names and numbers of bytes, on the disk and in the index. The files were listed before the entries. `spared`: as
  /// ``DayListing`` has them. `isThere`: whether a file exists now, since an asset may have been added between the two listings.
  init<E: Error>(
    files: [String: Int64], entries: [String: Int64], spared: Set<AssetID>,
    isThere: (String) throws(E) -> Bool
  ) throws(E) {
    var unknown: [AssetID: [ResourceFile]] = [:]
    for (name, bytes) in files {
      guard let file = ResourceFile(name) else { continue }
      guard let known = entries[name] else {
        if !spared.contains(file.asset), try isThere(name) { unknown[file.asset, default: []].append(file) }
        continue
      }
      guard known != bytes else { continue }
      broken.append(name)
      if file.place == 0 { gone.append(file.asset) }
    }
    for name in entries.keys where files[name] == nil {
      guard let file = ResourceFile(name), file.place == 0, !spared.contains(file.asset), try !isThere(name)
      else { continue }
      gone.append(file.asset)
    }
    let lost = Set(gone)
    for (id, parts) in unknown {
      let parts = parts.sorted { $0.place < $1.place }
      let isEmpty = parts.contains { files[$0.asset.file($0.place, $0.type)] == 0 }
      // An asset's first file is placed last: where it is missing, the asset was never finished.
      guard parts[0].place == 0, !isEmpty, parts.enumerated().allSatisfy({ $0.offset == $0.element.place }),
        !lost.contains(id)
      else {
        broken += parts.map { $0.asset.file($0.place, $0.type) }
        continue
      }
      found.append(
        Found(
          id: id,
          resources: parts.map {
            StoredResource($0.type, bytes: files[$0.asset.file($0.place, $0.type)]!, sha256: nil)
          }))
    }
    found.sort { $0.id < $1.id }
  }
}
