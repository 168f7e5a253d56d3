import CaptureModel

/// A page of assets.
public struct AssetList: Sendable {
  public var assets: [StoredAsset]
  /// The token of the next page; `nil`: this is the last one.
  public var next: String?
  /// The token for a watch of all later changes.
  public var token: String
}

/// The text of a place in a list: "1764058502123000000.20261125-081502-123-9f86d081".
enum PageToken {
  static func text(_ asset: StoredAsset) -> String { "\(asset.created).\(asset.id)" }

  static func place(_ text: String) throws(CaptureError) -> LibraryIndex.Place {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let created = Int64(normalForm: parts[0]), let id = AssetID(parts[1]) else {
      throw CaptureError(
        .invalidArgument, "\(text.quoted) is no page's token; take that of the page before, or none",
        .init(.valueNotPossible, field: "page_token", asked: .text(text)))
    }
    return LibraryIndex.Place(created: created, id: id)
  }
}

/// The text of a moment of a library: the identity of its index and the number of its latest change.
struct WatchToken: Hashable {
  var index: String
  var revision: UInt64

  init(index: String, revision: UInt64) { (self.index, self.revision) = (index, revision) }

  init(_ text: String) throws(CaptureError) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].utf8.count == 32, let revision = UInt64(normalForm: parts[1]),
      revision <= Int64.max
    else {
      throw CaptureError(
        .invalidArgument, "\(text.quoted) is no token of a library; take that of a page or an event, or none",
        .init(.valueNotPossible, field: "token", asked: .text(text)))
    }
    (index, self.revision) = (String(parts[0]), revision)
  }

  var text: String { "\(index):\(revision)" }
}

/// How much a library has, and what was found when its files were compared with its index.
public struct LibraryStatistics: Sendable {
  public var id: String
  public var assets: Int
  public var bytes: Int64
  public var free: Int64
  /// Nanoseconds since 1970 in UTC; `nil`: there is no asset.
  public var span: (oldest: Int64, newest: Int64)?
  public var isReconciling: Bool
  /// Assets that were found without an entry since the library was opened.
  public var recovered: Int
  /// Assets whose entries were removed since the library was opened, because their first file was gone or not whole.
  public var lost: Int
  /// Files that were set aside since the library was opened.
  public var setAside: Int
  /// The token for a watch of all later changes.
  public var token: String
}

extension OpenLibrary {
  /// `scope`: the assets to count. Only callers that see every asset are shown the outcome of comparing files and index.
  func statistics(within scope: AssetScope) async throws(CaptureError) -> LibraryStatistics {
    let (span, revision, totals) = try await reader.run { index throws(CaptureError) in
      (
        try index.span(within: scope), try index.revisions().latest,
        scope.isAll ? nil : try index.totals(within: scope)
      )
    }
    let free = try await self.free()
    let (assets, bytes) = totals.map { ($0.assets, $0.bytes) } ?? usage.withLock { ($0.assets, $0.bytes) }
    return outcome.withLock {
      if !scope.isAll {
        return LibraryStatistics(
          id: root.id, assets: assets, bytes: bytes, free: free, span: span, isReconciling: $0.isReconciling,
          recovered: 0, lost: 0, setAside: 0,
          token: WatchToken(index: indexID, revision: revision).text)
      }
      return LibraryStatistics(
        id: root.id, assets: assets, bytes: bytes, free: free, span: span, isReconciling: $0.isReconciling,
        recovered: $0.recovered, lost: $0.lost, setAside: $0.setAside,
        token: WatchToken(index: indexID, revision: revision).text)
    }
  }
}
