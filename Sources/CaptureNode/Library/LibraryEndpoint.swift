import CaptureLibrary
import CaptureModel
import CaptureSystem
import CaptureWire

/// `capture.v1.Library`: pictures that the node keeps.
struct LibraryEndpoint: LibraryService {
  let node: NodeLibrary
  let limits: NodeLimits
  let uploads = RunningUploads()

  func status(_ request: LibraryStatusRequest, context: CallContext) async throws -> LibraryStatus {
    let library: PhotoLibrary
    do throws(CaptureError) { library = try node.opened() } catch {
      return LibraryStatus(state: .notConfigured, reason: error.message)
    }
    return LibraryStatus(await library.state(within: context.assetScope), library.configuration)
  }

  func authorization(
    _ request: LibraryAuthorizationRequest, context: CallContext
  ) -> LibraryAuthorization {
    func permission(_ use: LibraryUse) -> LibraryPermission {
      switch node.policy.permission(to: use, for: context) {
      case .authorized: .authorized
      case .limited: .limited
      case .denied: .denied
      }
    }
    return LibraryAuthorization(
      add: permission(.add), read: permission(.read), remove: permission(.delete))
  }

  func list(_ request: ListAssetsRequest, context: CallContext) async throws -> AssetPage {
    let (library, scope) = try node.opened(to: .read, context)
    let filter = try (request.filter ?? .init()).model(within: scope)
    guard request.pageSize <= Self.longestPage else {
      throw CaptureError(
        .invalidArgument, "a page has at most \(Self.longestPage) assets",
        .init(
          .valueOutOfRange, field: "page_size", asked: .number(Double(request.pageSize)),
          range: .init(1, Double(Self.longestPage))))
    }
    let page = try await library.list(
      filter, after: request.pageToken.isEmpty ? nil : request.pageToken,
      count: request.pageSize == 0 ? Self.usualPage : Int(request.pageSize))
    return AssetPage(
      assets: page.assets.map { Asset($0) }, nextPageToken: page.next ?? "", token: page.token)
  }

  private static let longestPage: UInt32 = 500
  private static let usualPage = 100

  func get(_ request: AssetIds, context: CallContext) async throws -> AssetPage {
    let (library, scope) = try node.opened(to: .read, context)
    return AssetPage(assets: try await library.assets(request.ids, within: scope).map { Asset($0) })
  }

  func thumbnails(
    _ request: AssetIds, context: CallContext, responses: ResponseWriter<Thumbnail>
  ) async throws {
    let (library, scope) = try node.opened(to: .read, context)
    for asset in try await library.assets(request.ids, within: scope) {
      context.noteCamera(of: asset)
      let thumbnail = try await library.thumbnail(of: asset.id)
      try await responses.send(
        Thumbnail(
          id: asset.id.text, size: (thumbnail?.size).map { Size($0) },
          data: thumbnail.map { Payload(copying: $0.jpeg) }))
    }
  }

  func fetch(
    _ request: FetchResourceRequest, context: CallContext, responses: ResponseWriter<ResourceChunk>
  ) async throws {
    let (library, scope) = try node.opened(to: .read, context)
    let asset = try await library.assets([request.id], within: scope, field: "id")[0]
    context.noteCamera(of: asset)
    let place = Int(request.resource)
    let reading = try await library.open(asset, place)
    let range = try FetchedRange(request, of: reading.resource)
    let description = AssetResource(reading.resource, place, of: asset.id)
    var offset = range.start
    repeat {
      let data = try await reading.bytes(at: offset, count: range.end - offset)
      try await responses.send(
        ResourceChunk(
          offset: UInt64(offset), resource: offset == range.start ? description : nil, data: data))
      offset += Int64(data.count)
    } while offset < range.end
  }

  func add(_ requests: RequestReader<AddAssetRequest>, context: CallContext) async throws -> Asset {
    let (library, _) = try node.opened(to: .add, context)
    return try await uploads.run(atMost: limits[.libraryUploads]) {
      var addition: AssetAddition?
      for try await request in requests {
        if let asset = request.asset {
          guard addition == nil else {
            throw CaptureError(
              .invalidArgument, "a call adds one asset, described by its first message",
              .init(.valueNotPossible, field: "asset"))
          }
          let asset = try CaptureLibrary.NewAsset(asset, of: context)
          context.noteCamera(asset.device)
          addition = try await library.beginAdding(asset)
        }
        guard let addition else {
          throw CaptureError(
            .invalidArgument, "the first message describes the asset", .init(.valueMissing, field: "asset"))
        }
        if let resource = request.resource { try await begin(resource, of: addition) }
        if let data = request.data, data.count > 0 {
          guard data.count <= ResourceReading.longest else {
            throw CaptureError(
              .invalidArgument, "a message has at most \(ResourceReading.longest) bytes of a resource",
              .init(
                .valueOutOfRange, field: "data", asked: .number(Double(data.count)),
                range: .init(0, Double(ResourceReading.longest))))
          }
          try await addition.append(data)
        }
      }
      guard let addition else {
        throw CaptureError(
          .invalidArgument, "no asset was described", .init(.valueMissing, field: "asset"))
      }
      return Asset(try await addition.finish())
    }
  }

  private func begin(_ resource: NewResource, of addition: AssetAddition) async throws(CaptureError) {
    let type = try ResourceType(mediaType: resource.mediaType)
    guard resource.bytes <= limits[.assetBytes] else {
      throw NodeLimit.assetBytes.exceeded(
        bound: limits[.assetBytes], "a resource of \(resource.bytes) bytes is too large")
    }
    guard resource.sha256.isEmpty || resource.sha256.count == 32 else {
      throw CaptureError(
        .invalidArgument, "a SHA-256 has 32 bytes, not \(resource.sha256.count)",
        .init(.valueNotPossible, field: "resource.sha256"))
    }
    try await addition.begin(
      type, bytes: Int64(resource.bytes), sha256: resource.sha256.isEmpty ? nil : resource.sha256)
  }

  func label(_ request: LabelAssetsRequest, context: CallContext) async throws -> AssetPage {
    let (library, scope) = try node.opened(to: .delete, context)
    for label in request.add { try AssetLabel.validate(label, field: "add") }
    let assets = try await library.assets(request.ids, within: try node.seen(scope, context))
    try requireOwn(assets, scope)
    for asset in assets { context.noteCamera(of: asset) }
    return AssetPage(
      assets: try await library.label(assets.map(\.id), add: request.add, remove: request.remove).map {
        Asset($0)
      })
  }

  func delete(_ request: AssetIds, context: CallContext) async throws -> DeletedAssets {
    let (library, scope) = try node.opened(to: .delete, context)
    let seen = try node.seen(scope, context)
    var assets: [StoredAsset] = []
    for id in request.ids {
      if let asset = try? await library.assets([id], within: seen)[0] { assets.append(asset) }
    }
    try requireOwn(assets, scope)
    for asset in assets { context.noteCamera(of: asset) }
    return DeletedAssets(ids: try await library.delete(assets.map(\.id)).map(\.text))
  }

  /// Throws `permissionDenied` for assets that the caller sees and others have added, where it may change its own alone.
  private func requireOwn(_ assets: [StoredAsset], _ scope: AssetScope) throws(CaptureError) {
    guard let owner = scope.owner, let other = assets.first(where: { $0.addedBy != owner }) else { return }
    throw CaptureError(
      .permissionDenied,
      "the asset '\(other.id.text)' was added by another client: whoever has added an asset, and an admin, may label and delete it. Nothing has changed",
      .init(.notAuthorized, field: "ids", asked: .text(other.id.text)))
  }

  func watch(
    _ request: WatchAssetsRequest, context: CallContext, responses: ResponseWriter<AssetEvent>
  ) async throws {
    let (library, scope) = try node.opened(to: .read, context)
    var watch = try await library.watch(
      (request.filter ?? .init()).model(within: scope), from: request.token.isEmpty ? nil : request.token)
    while true { try await responses.send(AssetEvent(try await watch.next())) }
  }
}

extension CallContext {
  fileprivate func noteCamera(of asset: StoredAsset) { noteCamera(asset.device) }

  /// `identity`: empty for a picture that no camera has taken.
  fileprivate func noteCamera(_ identity: String) {
    if !identity.isEmpty { cameras?.add(CameraID(rawValue: identity)) }
  }
}

/// Which bytes of a resource a client wants.
private struct FetchedRange {
  var start: Int64
  var end: Int64

  init(_ request: FetchResourceRequest, of resource: StoredResource) throws(CaptureError) {
    guard request.offset <= UInt64(resource.bytes) else {
      throw CaptureError(
        .outOfRange, "the resource has \(resource.bytes) bytes; there is none at \(request.offset)",
        .init(
          .valueOutOfRange, field: "offset", asked: .number(Double(request.offset)),
          range: .init(0, Double(resource.bytes))))
    }
    guard request.sha256.isEmpty || request.sha256 == resource.sha256 else {
      throw CaptureError(
        .aborted, "the resource is not the one of which you have a part; fetch it from its beginning",
        .init(.checksumMismatch, field: "sha256"))
    }
    start = Int64(request.offset)
    let rest = resource.bytes - start
    end = start + (request.length == 0 ? rest : min(rest, Int64(clamping: request.length)))
  }
}

extension AssetEvent {
  fileprivate init(_ event: LibraryEvent) {
    switch event {
    case .added(let asset, let token): self.init(kind: .added, asset: Asset(asset), token: token)
    case .changed(let asset, let token): self.init(kind: .changed, asset: Asset(asset), token: token)
    case .deleted(let id, let token): self.init(kind: .deleted, asset: Asset(id: id.text), token: token)
    case .reset(let token): self.init(kind: .reset, token: token)
    case .current(let token): self.init(kind: .current, token: token)
    }
  }
}

extension LibraryStatus {
  fileprivate init(_ state: PhotoLibrary.State, _ configuration: LibraryConfiguration) {
    self.init(
      root: configuration.root, quotaBytes: UInt64(configuration.quota ?? 0),
      maximumAgeDays: UInt32(configuration.maximumAge ?? 0),
      freeBytesFloor: UInt64(configuration.freeFloor), removesOldest: configuration.removesOldest)
    switch state {
    case .unavailable(let reason): (self.state, self.reason) = (.unavailable, reason)
    case .open(let statistics):
      self.state = .open
      (library, token) = (statistics.id, statistics.token)
      (assets, bytes) = (UInt64(clamping: statistics.assets), UInt64(clamping: statistics.bytes))
      freeBytes = UInt64(clamping: statistics.free)
      reconciling = statistics.isReconciling
      (recovered, lost) = (UInt64(statistics.recovered), UInt64(statistics.lost))
      setAside = UInt64(statistics.setAside)
      (oldestUtcNs, newestUtcNs) = (statistics.span?.oldest ?? 0, statistics.span?.newest ?? 0)
    }
  }
}
