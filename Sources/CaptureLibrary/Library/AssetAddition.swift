public import CaptureModel
public import CaptureSystem

/// The properties of an asset that is added.
public struct NewAsset: Hashable, Sendable {
  public var origin: AssetOrigin
  /// Nanoseconds since 1970 in UTC; `nil`: now.
  public var created: Int64?
  public var device = ""
  public var sequence = ""
  public var shot = ""
  public var labels: [String] = []
  public var addedBy = ""
  public var metadata: [UInt8] = []
  public var info: [UInt8] = []

  public init(_ origin: AssetOrigin) { self.origin = origin }
}

/// An asset that is being added. If it is not finished, it leaves nothing behind.
public actor AssetAddition {
  private let library: OpenLibrary
  private var asset: NewAsset
  private var finished: [(file: IncomingFile, facts: IncomingFile.Facts)] = []
  private var current: (file: IncomingFile, bytes: Int64, sha256: [UInt8]?, received: Int64)?
  private var reserved: Int64 = 0
  /// Those of the reserved bytes that are on the disk already.
  private var written: Int64 = 0

  init(_ asset: NewAsset, to library: OpenLibrary) { (self.asset, self.library) = (asset, library) }

  deinit { library.release(reserved, written: written) }

  /// The most resources of an asset.
  public static let mostResources = NodeLimit.resourcesPerAsset.usual

  /// Begins the next resource. Throws `resourceExhausted` if there is no room for the resource, or if the asset has the most resources already.
  public func begin(_ type: ResourceType, bytes: Int64, sha256: [UInt8]?) async throws(CaptureError) {
    try await endResource()
    guard finished.count < Self.mostResources else {
      throw NodeLimit.resourcesPerAsset.exceeded("an asset has at most \(Self.mostResources) resources")
        .about(field: "resource")
    }
    try await library.reserve(bytes)
    reserved += bytes
    let file = IncomingFile(type, in: library.root, on: library.files.executor)
    current = (file, bytes, sha256, 0)
  }

  public func append(_ payload: Payload) async throws(CaptureError) {
    guard let resource = current else {
      throw CaptureError(
        .invalidArgument, "bytes came before a resource was begun",
        .init(.valueMissing, field: "resource"))
    }
    current!.received += Int64(payload.count)
    guard current!.received <= resource.bytes else {
      throw Self.wrongLength(announced: resource.bytes, came: "more")
    }
    try await resource.file.append(payload)
    let count = Int64(payload.count)
    written += count
    library.usage.withLock { $0.noteWritten(count) }
  }

  /// Adds the asset. Once this returns it survives a crash and a power cut.
  public func finish() async throws(CaptureError) -> StoredAsset {
    try await endResource()
    guard let first = finished.first else {
      throw CaptureError(
        .invalidArgument, "an asset has at least one resource", .init(.valueMissing, field: "resource"))
    }
    let now = OpenLibrary.clock.reading(at: MonotonicClock.now()).nanoseconds
    let created = asset.created ?? now
    let id = AssetID(created: created)
    library.beginAdding(id)
    defer { library.endAdding(id) }
    try await library.requireMounted()
    var placed = 0
    do throws(CaptureError) {
      // The first file is placed last. So if it is there, all are.
      for place in finished.indices.reversed() {
        try await finished[place].file.place(as: id, place)
        placed += 1
      }
      let stored = StoredAsset(
        id: id, media: first.file.type.media, origin: asset.origin,
        resources: finished.map {
          StoredResource($0.file.type, bytes: $0.facts.bytes, sha256: $0.facts.sha256)
        },
        device: asset.device, sequence: asset.sequence, shot: asset.shot,
        labels: Set(asset.labels).sorted(), addedBy: asset.addedBy, created: created, added: now,
        size: first.facts.examination.size, metadata: asset.metadata, info: asset.info)
      let thumbnail = finished.lazy.compactMap(\.facts.examination.thumbnail).first
      let result = try await library.writer.run { index throws(CaptureError) in
        try index.insert(stored, thumbnail: thumbnail)
      }
      // What was reserved for the asset is its own now, so that nothing counts twice.
      let (reserved, written) = (reserved, written)
      library.usage.withLock {
        $0.add(result)
        $0.release(reserved, written: written)
      }
      (self.reserved, self.written) = (0, 0)
      library.wakeWatches()
      return result
    } catch {
      await remove(id, placed)
      throw error
    }
  }

  /// Removes the files that were placed, the asset's first file before the others: without it the others do not count as an asset.
  private func remove(_ id: AssetID, _ placed: Int) async {
    let paths = finished.indices.suffix(placed).map { id.path($0, finished[$0].file.type) }
    let root = library.root
    try? await library.files.run { () throws(CaptureError) in
      for path in paths { try? root.remove(path) }
    }
  }

  private func endResource() async throws(CaptureError) {
    guard let (file, bytes, sha256, received) = current else { return }
    current = nil
    guard received == bytes else { throw Self.wrongLength(announced: bytes, came: "only \(received)") }
    let facts: IncomingFile.Facts
    do throws(CaptureError) { facts = try await file.finish(library.imaging) } catch {
      guard asset.origin == .captured, error.code == .invalidArgument else { throw error }
      throw CaptureError(.dataLoss, "the photo is damaged: \(error.message)", .init(.damagedPicture))
    }
    if let sha256, sha256 != facts.sha256 {
      throw CaptureError(
        .dataLoss,
        "the bytes that came have the SHA-256 \(facts.sha256.hexDigits), not \(sha256.hexDigits); send them again",
        .init(.checksumMismatch, field: "resource.sha256"))
    }
    finished.append((file, facts))
  }

  private static func wrongLength(announced bytes: Int64, came count: String) -> CaptureError {
    CaptureError(
      .invalidArgument, "the resource was said to have \(bytes) bytes, and \(count) came",
      .init(.contentMismatch, field: "resource.bytes", asked: .number(Double(bytes))))
  }
}
