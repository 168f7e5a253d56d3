/// How much a library has, and how much is reserved for assets that are being added.
struct LibraryUsage {
  var assets: Int
  var bytes: Int64
  private(set) var reserved: Int64 = 0
  /// Those of the reserved bytes that are on the disk already.
  private(set) var written: Int64 = 0

  init(_ totals: LibraryIndex.Totals) { (assets, bytes) = (totals.assets, totals.bytes) }

  mutating func add(_ asset: StoredAsset) { add(LibraryIndex.Totals(assets: 1, bytes: asset.bytes)) }

  mutating func add(_ more: LibraryIndex.Totals) {
    assets += more.assets
    bytes += more.bytes
  }

  mutating func remove(_ asset: StoredAsset) { remove(LibraryIndex.Totals(assets: 1, bytes: asset.bytes)) }

  mutating func remove(_ less: LibraryIndex.Totals) {
    assets -= less.assets
    bytes -= less.bytes
  }

  /// How many bytes have to be removed before others fit; 0: they fit now.
  struct Excess {
    /// Those beyond what the library may have.
    var ofQuota: Int64
    /// Those beyond what may be taken of the disk.
    var ofDisk: Int64

    var bytes: Int64 { max(ofQuota, ofDisk) }
  }

  /// What has to be removed before `more` bytes fit.
  func excess(_ more: Int64, quota: Int64?, free: Int64, floor: Int64) -> Excess {
    Excess(
      ofQuota: max(0, quota.map { bytes + reserved + more - $0 } ?? 0),
      ofDisk: max(0, floor - (free - (reserved - written) - more)))
  }

  mutating func reserve(_ bytes: Int64) { reserved += bytes }
  mutating func noteWritten(_ bytes: Int64) { written += bytes }
  /// `written`: those of the bytes that were noted as written.
  mutating func release(_ bytes: Int64, written: Int64) {
    reserved -= bytes
    self.written -= written
  }
}
