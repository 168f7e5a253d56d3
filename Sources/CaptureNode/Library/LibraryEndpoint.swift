import CaptureLibrary
import CaptureModel
import CaptureSystem
import CaptureWire

/// `capture.v1.Library`: pictures that the node keeps.
struct LibraryEndpoint: LibraryService {
  let node: NodeLibrary
  let limits: NodeLimits
  let uploads = RunningUploads()
  /// The pieces of kept pictures that wait for the clients that fetch them.
  let unread: UnreadBytes

  init(node: NodeLibrary, limits: NodeLimits) {
    (self.node, self.limits) = (node, limits)
    unread = UnreadBytes(.unreadAssetBytes, bound: limits[.unreadAssetBytes], of: "kept pictures")
  }

  func status(
    _ request: LibraryStatusRequest, context: CallContext
  ) async throws -> CaptureWire.LibraryStatus {
    var status = CaptureModel.LibraryStatus(.notConfigured)
    do throws(CaptureError) {
      let library = try node.opened()
      status = .init(await library.state(within: context.assetScope), library.configuration)
    } catch {
      status.reason = error.message
    }
    return CaptureWire.LibraryStatus(status)
  }

  func authorization(
    _ request: LibraryAuthorizationRequest, context: CallContext
  ) -> CaptureWire.LibraryAuthorization {
    func status(_ use: LibraryUse) -> CaptureModel.LibraryAuthorization.Status {
      switch node.policy.permission(to: use, for: context) {
      case .authorized: .authorized
      case .limited: .limited
      case .denied: .denied
      }
    }
    return CaptureWire.LibraryAuthorization(
      .init(add: status(.add), read: status(.read), delete: status(.delete)))
  }

  func list(_ request: ListAssetsRequest, context: CallContext) async throws -> AssetPage {
    let (library, scope) = try node.opened(to: .read, context)
    let filter = try CaptureLibrary.AssetFilter((request.filter ?? .init()).model(), within: scope)
    let size = request.pageSize == 0 ? PageSize.usual : Int(request.pageSize)
    try PageSize.validate(size)
    let page = try await library.list(
      filter, after: request.pageToken.isEmpty ? nil : request.pageToken,
      count: size)
    return AssetPage(
      assets: page.assets.map(\.message), nextPageToken: page.next ?? "", token: page.token)
  }

  func get(_ request: AssetIds, context: CallContext) async throws -> AssetPage {
    let (library, scope) = try node.opened(to: .read, context)
    return AssetPage(assets: try await library.assets(request.ids, within: scope).map(\.message))
  }

  func thumbnails(
    _ request: consuming AssetIds, context: CallContext, responses: ResponseWriter<Thumbnail>
  ) async throws {
    let (library, scope) = try node.opened(to: .read, context)
    // Only the ids are kept while this waits for the client: the rest of an asset may be 3 KB.
    let ids = try await library.assets(request.ids, within: scope).map { asset in
      context.noteCamera(of: asset)
      return asset.id
    }
    _ = consume request
    for id in ids {
      let thumbnail = try await library.thumbnail(of: id)
      try await responses.send(
        Thumbnail(
          id: id.text, size: (thumbnail?.size).map { Size($0) },
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
    let description = AssetResource(LibraryResource(reading.resource, place, of: asset.id))
    var offset = range.start
    repeat {
      let room = try unread.room(for: Int(min(range.end - offset, ResourceReading.longest)))
      defer { withExtendedLifetime(room) {} }
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
          let asset = try CaptureLibrary.NewAsset(asset.model, of: context)
          context.noteCamera(asset.device)
          addition = try await library.beginAdding(asset)
        }
        guard let addition else {
          throw CaptureError(
            .invalidArgument, "the first message describes the asset", .init(.valueMissing, field: "asset"))
        }
        if let resource = request.resource { try await begin(resource.model, of: addition) }
        if let data = request.data, data.count > 0 {
          try await addition.append(data)
        }
      }
      guard let addition else {
        throw CaptureError(
          .invalidArgument, "no asset was described", .init(.valueMissing, field: "asset"))
      }
      return try await addition.finish().message
    }
  }

  private func begin(_ resource: LibraryResource, of addition: AssetAddition) async throws(CaptureError) {
    let type = try ResourceType(mediaType: resource.mediaType)
    guard resource.bytes <= limits[.assetBytes] else {
      throw NodeLimit.assetBytes.exceeded(
        bound: limits[.assetBytes], "a resource of \(resource.bytes) bytes is too large")
    }
    if let sum = resource.sha256, sum.count != 32 {
      throw CaptureError(
        .invalidArgument, "a SHA-256 has 32 bytes, not \(sum.count)",
        .init(.valueNotPossible, field: "resource.sha256"))
    }
    try await addition.begin(type, bytes: Int64(resource.bytes), sha256: resource.sha256)
  }

  func label(_ request: LabelAssetsRequest, context: CallContext) async throws -> AssetPage {
    let (library, scope) = try node.opened(to: .delete, context)
    for label in request.add { try AssetLabel.validate(label, field: "add") }
    let assets = try await library.assets(request.ids, within: try node.seen(scope, context))
    try requireOwn(assets, scope)
    for asset in assets { context.noteCamera(of: asset) }
    return AssetPage(
      assets: try await library.label(assets.map(\.id), add: request.add, remove: request.remove).map(
        \.message))
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

  /// Throws `permissionDenied` if the caller may change only its own assets, and another client has added one of these.
  private func requireOwn(_ assets: [StoredAsset], _ scope: AssetScope) throws(CaptureError) {
    guard let owner = scope.owner, let other = assets.first(where: { $0.addedBy != owner }) else { return }
    throw CaptureError(
      .permissionDenied,
      "the asset '\(other.id.text)' was added by another client: whoever has added an asset, and an admin, may label and delete it. Nothing has changed",
      .init(.notAuthorized, field: "ids", asked: .text(other.id.text)))
  }

  func watch(
    _ request: consuming WatchAssetsRequest, context: CallContext, responses: ResponseWriter<AssetEvent>
  ) async throws {
    let (library, scope) = try node.opened(to: .read, context)
    let filter = try CaptureLibrary.AssetFilter((request.filter ?? .init()).model(), within: scope)
    var watch = try await library.watch(filter, from: request.token.isEmpty ? nil : request.token)
    _ = consume request
    while true { try await responses.raw.send(try await watch.next().raw) }
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

extension LibraryEvent {
  // This is not inlined, since the message takes 2 KB, and making it 19 KB: `watch` would take that memory for as long as it waits.
  @inline(never)
  fileprivate var raw: RawMessage { message.raw() }

  private var message: AssetEvent {
    switch self {
    case .added(let asset, let token): AssetEvent(.added, asset.message, token: token)
    case .changed(let asset, let token): AssetEvent(.changed, asset.message, token: token)
    case .deleted(let id, let token): AssetEvent(deleted: id.text, token: token)
    case .reset(let token): AssetEvent(.reset, token: token)
    case .current(let token): AssetEvent(.current, token: token)
    }
  }
}

extension CaptureModel.LibraryStatus {
  fileprivate init(_ library: PhotoLibrary.State, _ configuration: LibraryConfiguration) {
    switch library {
    case .unavailable(let reason):
      self.init(.unavailable)
      self.reason = reason
    case .open(let statistics):
      self.init(.open)
      (id, token) = (statistics.id, statistics.token)
      (assets, bytes) = (UInt64(clamping: statistics.assets), UInt64(clamping: statistics.bytes))
      free = UInt64(clamping: statistics.free)
      isReconciling = statistics.isReconciling
      (recovered, lost) = (UInt64(statistics.recovered), UInt64(statistics.lost))
      setAside = UInt64(statistics.setAside)
      (oldest, newest) = (statistics.span?.oldest, statistics.span?.newest)
    }
    root = configuration.root
    quota = configuration.quota.map { UInt64($0) }
    (maximumAge, removesOldest) = (configuration.maximumAge, configuration.removesOldest)
    freeFloor = UInt64(configuration.freeFloor)
  }
}
