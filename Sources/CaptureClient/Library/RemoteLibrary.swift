public import CaptureModel
internal import CaptureWire

extension RemoteNode {
  /// The pictures that the node keeps. This makes no call.
  public var library: RemoteLibrary { RemoteLibrary(self) }
}

/// The pictures that a node keeps (`PHPhotoLibrary`).
///
/// Calls throw `failedPrecondition` where the node has no library, and `unavailable` while the library's folder is not there, as on a disk that is
/// not mounted.
public struct RemoteLibrary: Sendable {
  let node: RemoteNode

  init(_ node: RemoteNode) { self.node = node }

  private var client: LibraryClient { LibraryClient(node.connection) }

  /// What the library has, and whether it can be used.
  /// Throws `unavailable` where the node is not reached; a library that cannot be used says so in its state.
  public func status() async throws(CaptureError) -> CaptureModel.LibraryStatus {
    try await convertingErrors { () async throws(RPCError) in
      try await client.status(options: node.callOptions).model
    }
  }

  /// What this client may do with the library.
  /// Throws `unavailable` where the node is not reached.
  public func authorization() async throws(CaptureError) -> CaptureModel.LibraryAuthorization {
    try await convertingErrors { () async throws(RPCError) in
      try await client.authorization(options: node.callOptions).model
    }
  }

  /// A page of assets, the latest first.
  public struct Page: Sendable {
    /// At most as many as were asked for.
    public var assets: [LibraryAsset]
    /// For the next page; `nil`: this is the last one.
    public var next: String?
    /// For ``RemoteLibrary/changes(from:_:)``: the changes after this page.
    public var token: String
  }

  /// A page of assets. `token`: ``Page/next`` of the page before it; `nil`: the first page. `count`: 1 to 500; another count throws
  /// `invalidArgument`.
  public func page(
    _ filter: LibraryFilter = LibraryFilter(), after token: String? = nil, count: Int = 100
  ) async throws(CaptureError) -> Page {
    try PageSize.validate(count)
    return try await convertingErrors { () async throws(RPCError) in
      let page = try await client.list(
        ListAssetsRequest(
          filter: AssetFilter(filter), pageSize: UInt32(count), pageToken: token ?? ""),
        options: node.callOptions)
      return Page(
        assets: page.assets.map(\.model),
        next: page.nextPageToken.isEmpty ? nil : page.nextPageToken, token: page.token)
    }
  }

  /// The assets, the latest first, at most `limit` (`PHAsset.fetchAssets(with:)`).
  /// Throws as ``page(_:after:count:)`` does.
  public func assets(
    _ filter: LibraryFilter = LibraryFilter(), limit: Int = .max
  ) async throws(CaptureError) -> [LibraryAsset] {
    var (assets, token): ([LibraryAsset], String?) = ([], nil)
    while assets.count < limit {
      let page = try await page(
        filter, after: token, count: min(PageSize.possible.upperBound, limit - assets.count))
      assets += page.assets
      token = page.next
      if token == nil { break }
    }
    return assets
  }

  /// The assets of these names, in the order of the names. Throws `notFound`, which names one that is not there.
  public func assets(named ids: [String]) async throws(CaptureError) -> [LibraryAsset] {
    try await convertingErrors { () async throws(RPCError) in
      var assets: [LibraryAsset] = []
      for part in ids.parts {
        assets += try await client.get(AssetIds(ids: part), options: node.callOptions).assets.map(\.model)
      }
      return assets
    }
  }

  /// Small JPEGs of assets, in the order of `ids`.
  /// Throws `failedPrecondition` where the node has no library, `unavailable` where it cannot be used, and `permissionDenied` where this client may
  /// not read it.
  public func thumbnails(of ids: [String]) async throws(CaptureError) -> [LibraryThumbnail] {
    try await convertingErrors { () async throws(RPCError) in
      var thumbnails: [LibraryThumbnail] = []
      for part in ids.parts {
        let stream = try await client.thumbnails(
          AssetIds(ids: part), options: CallOptions(timeout: node.configuration.timeout, window: 64))
        var messages = stream.makeAsyncIterator()
        while let message = try await messages.next(isolation: nil) {
          thumbnails.append(
            LibraryThumbnail(asset: message.id, jpeg: message.data, size: message.size?.model))
        }
      }
      return thumbnails
    }
  }

  /// Adds and removes labels. Each is 1 to 64 bytes of UTF-8; an asset has at most 32. The node never removes an asset with the label "keep" by
  /// itself; clients can. Throws `notFound` for an asset that is not there, `invalidArgument` for a label that is not possible, `resourceExhausted`
  /// for too many labels, and `permissionDenied` where this client may not change one of the assets.
  @discardableResult
  public func label(
    _ ids: [String], add: [String] = [], remove: [String] = []
  ) async throws(CaptureError) -> [LibraryAsset] {
    try await convertingErrors { () async throws(RPCError) in
      var assets: [LibraryAsset] = []
      for part in ids.parts {
        assets += try await client.label(
          LabelAssetsRequest(ids: part, add: add, remove: remove), options: node.callOptions
        ).assets.map(\.model)
      }
      return assets
    }
  }

  /// Deletes assets, and returns the names of those that existed.
  /// Throws `failedPrecondition` where the node has no library, `unavailable` where it cannot be used, and `permissionDenied` where this client may
  /// not remove one of them. The node then removes none of that request's assets; a list longer than `listEntries` names takes several
  /// requests.
  @discardableResult
  public func delete(_ ids: [String]) async throws(CaptureError) -> [String] {
    try await convertingErrors { () async throws(RPCError) in
      var deleted: [String] = []
      for part in ids.parts {
        deleted += try await client.delete(AssetIds(ids: part), options: node.callOptions).ids
      }
      return deleted
    }
  }
}

extension [String] {
  /// The names in lists, each as long as a request may have at most.
  fileprivate var parts: [[String]] {
    let most = NodeLimit.listEntries.usual
    return stride(from: 0, to: count, by: most).map { Array(self[$0..<Swift.min($0 + most, count)]) }
  }
}
