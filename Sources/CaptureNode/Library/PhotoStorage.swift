import CaptureEngine
import CaptureLibrary
import CaptureModel
import CaptureSystem
import CaptureWire

/// Keeps photos in the library as their request asks (`PhotoSettings.store`).
struct PhotoStorage {
  /// `nil`: the photo is not kept.
  let mode: PhotoStoring?
  private let library: PhotoLibrary?
  private let owner: String
  private let shot: String

  var isKeeping: Bool { library != nil }

  /// Throws where the node keeps no such photo of this caller.
  init(for settings: CaptureWire.PhotoSettings?, _ node: NodeLibrary, _ context: CallContext)
    throws(CaptureError)
  {
    mode = try settings?.store.model("settings.store")
    owner = context.owner
    shot = settings?.shot ?? ""
    guard mode != nil else {
      library = nil
      return
    }
    try settings?.requireStorable()
    library = try node.opened(to: .add, context).library
  }

  /// Throws where the photo could not be kept, so that no photo is taken in vain.
  func requireRoom() async throws(CaptureError) { try await library?.requireRoom() }

  /// Stores all files of a photo as one asset, and returns the photo with the asset's id. Once this returns, the photo is durable. `member`: the
  /// photo's place in a bracket or a burst.
  func store(_ photo: Photo, as member: SequenceMember? = nil) async throws(CaptureError) -> Photo {
    guard let library else { return photo }
    var asset = CaptureLibrary.NewAsset(.captured)
    (asset.addedBy, asset.sequence, asset.shot) = (owner, member?.name ?? "", shot)
    asset.describe(photo.files[0].event(of: photo))
    var photo = photo
    photo.asset = try await library.add(asset, photo.resources).id.text
    return photo
  }

  /// The events that bring the files of a photo, or say where the photo is kept.
  func events(of photo: Photo) -> [PhotoEvent] {
    photo.files.map { file in
      var event = file.event(of: photo)
      event.assetID = photo.asset ?? ""
      if mode == .only { event.data = nil }
      return event
    }
  }

  /// The events of a photo of a bracket or a burst. If the library has the photo, the events have no data: ``whole(_:)`` reads the data when the
  /// client takes them.
  func events(of taken: SequencePhoto) -> [PhotoEvent] {
    events(of: taken.photo).map { event in
      var event = event
      (event.place, event.bracket) = (
        SequencePlace(taken.place), taken.outcome.map { BracketOutcome($0) }
      )
      if taken.photo.asset != nil { event.data = nil }
      return event
    }
  }

  /// The file in the library from which the client gets the event's data; `nil`: the event is sent as it is. Throws `notFound` if the asset was deleted
  /// meanwhile.
  func file(of event: PhotoEvent) async throws(CaptureError) -> ResourceReading? {
    guard mode == .also, event.data == nil, !event.assetID.isEmpty, let library else { return nil }
    let asset = try await library.assets([event.assetID], field: "asset_id")[0]
    let type = event.resource?.mediaType ?? ""
    guard let place = asset.resources.firstIndex(where: { $0.type.rawValue == type }) else { return nil }
    return try await library.open(asset, place)
  }

  /// The event as the client gets it: if the photo is stored and delivered, reads its data back from the library. Throws as ``file(of:)`` does.
  func whole(_ event: PhotoEvent) async throws(CaptureError) -> PhotoEvent {
    guard let stored = try await file(of: event) else { return event }
    var whole = event
    whole.data = try await stored.whole()
    return whole
  }
}

extension Photo {
  /// The photo's files, as the files of an asset.
  var resources: [(type: ResourceType, bytes: Payload)] {
    files.compactMap { file in
      ResourceType(rawValue: file.type.mediaType).map { ($0, file.picture.payload) }
    }
  }
}

extension CaptureWire.PhotoSettings {
  /// Throws where the library does not keep one of the wanted types of files.
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
  /// Sets the properties that a photo's event has.
  mutating func describe(_ event: PhotoEvent) {
    if let metadata = event.metadata {
      self.metadata = metadata.encoded()
      device = metadata.device
      created = (metadata.taken?.ns).flatMap { $0 > 0 ? $0 : nil }
    }
    if let info = event.info { self.info = info.encoded() }
  }
}
