package import CaptureModel

extension AssetEvent {
  package init(_ kind: LibraryChange.Kind, _ asset: Asset? = nil, token: String) {
    self.init(kind: Kind(kind), asset: asset, token: token)
  }

  /// The event of an asset that is gone.
  package init(deleted id: String, token: String) { self.init(.deleted, Asset(id: id), token: token) }

  /// `nil` for a kind of event that only newer nodes know.
  package var model: LibraryChange? {
    kind.known.map { LibraryChange($0, asset?.model, token: token) }
  }
}

extension AssetEvent.Kind: NumberedOnWire { package typealias Model = LibraryChange.Kind }
