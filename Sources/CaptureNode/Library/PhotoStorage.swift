import CaptureEngine
import CaptureLibrary
import CaptureModel
import CaptureSystem
import CaptureWire

/// Keeps photos in the library as their request asks (`PhotoSettings.store`).
struct PhotoStorage {
  let mode: StoreMode
  private let library: PhotoLibrary?
  private let owner: String

  /// Throws where the photo could not be kept, so that none is taken for nothing.
  init(_ settings: CaptureWire.PhotoSettings?, _ node: NodeLibrary, _ context: CallContext)
    async throws(CaptureError)
  {
    mode = settings?.store ?? .unspecified
    owner = context.owner
    switch mode {
    case .unspecified: library = nil
    case .also, .only:
      try settings?.requireStorable()
      library = try node.opened(to: .add, context).library
      try await library?.requireRoom()
    default:
      throw CaptureError(
        .invalidArgument, "the node knows no store mode \(mode.rawValue)",
        .init(
          .valueNotPossible, field: "settings.store", asked: .number(Double(mode.rawValue)),
          possible: ["ALSO", "ONLY"]))
    }
  }

  /// Keeps a photo, all of its files as one asset, and returns it with the asset's name. Once this returns the photo is durable.
  func kept(_ photo: Photo) async throws(CaptureError) -> Photo {
    guard let library else { return photo }
    var asset = CaptureLibrary.NewAsset(.captured)
    asset.addedBy = owner
    asset.describe(PhotoEvent(photo.files[0], of: photo))
    var photo = photo
    photo.asset = try await library.add(asset, photo.resources).id.text
    return photo
  }

  /// The event that brings a file of a photo, or tells where it is kept.
  func event(_ file: PhotoFile, of photo: Photo) -> PhotoEvent {
    var event = PhotoEvent(file, of: photo)
    event.assetID = photo.asset ?? ""
    if mode == .only { event.data = nil }
    return event
  }
}

extension Photo {
  /// Its files, as those of an asset.
  var resources: [(type: ResourceType, bytes: Payload)] {
    files.compactMap { file in
      ResourceType(rawValue: file.type.mediaType).map { ($0, file.picture.payload) }
    }
  }
}

extension CaptureWire.PhotoSettings {
  /// Throws where a file of the photo is none that the library keeps.
  func requireStorable() throws(CaptureError) {
    guard formats.contains(where: { $0.type == .raw }) else { return }
    throw CaptureError(
      .invalidArgument,
      "the library keeps JPEG, PNG and DNG files, no bare bytes: leave out raw, or do not store the photo",
      .init(
        .valueNotPossible, field: "settings.formats", asked: .text("RAW"), possible: ["JPEG", "PNG", "DNG"]))
  }
}

extension CaptureLibrary.NewAsset {
  /// Takes over what is known of a photo.
  mutating func describe(_ event: PhotoEvent) {
    if let metadata = event.metadata {
      self.metadata = metadata.encoded()
      device = metadata.device
      created = (metadata.taken?.ns).flatMap { $0 > 0 ? $0 : nil }
    }
    if let info = event.info { self.info = info.encoded() }
  }
}
