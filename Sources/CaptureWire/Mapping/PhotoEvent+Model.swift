package import CaptureModel
package import CaptureSystem

extension PhotoEvent {
  /// The description of the photo before it is taken.
  package init(_ photo: ResolvedPhoto) {
    self.init(stage: .willBegin, resolved: ResolvedPhotoSettings(photo))
  }

  /// The next frame may be the photo.
  package static let willCapture = PhotoEvent(stage: .willCapture)

  /// The photo's frame has come.
  package init(_ frame: PictureDescription, clock: UTCClock) {
    self.init(stage: .didCapture, info: FrameInfo(frame, clock: clock))
  }

  /// A small JPEG that comes before the photo.
  package init(preview: PictureDescription, clock: UTCClock, _ data: Payload) {
    self.init(
      stage: .preview, info: FrameInfo(preview, clock: clock), resource: PhotoResource.preview, data: data)
  }

  /// A file of the photo.
  package init(
    _ file: PictureDescription, clock: UTCClock, _ resource: PhotoResource,
    _ metadata: CaptureModel.PhotoMetadata?, _ nearness: CaptureModel.PhotoNearness?, _ data: Payload
  ) {
    self.init(
      stage: .photo, info: FrameInfo(file, clock: clock), flash: FlashOutcome(file.flash),
      metadata: metadata.map { PhotoMetadata($0) }, resource: resource,
      nearness: nearness.map { PhotoNearness($0) }, data: data)
    guard let settling = file.settling else { return }
    settled = Provenance(settling.provenance)
    settlingMs = UInt32(clamping: Int64((settling.waited / .milliseconds(1)).rounded()))
    settlingFrames = UInt32(clamping: settling.frames)
  }

  /// `nil` for a stage that only newer nodes know, and for a file without data that the library does not have either.
  package var model: PhotoStage? {
    switch stage {
    case .willBegin: resolved.map { .willBegin($0.model) }
    case .willCapture: .willCapture
    case .didCapture: .didCapture((info ?? FrameInfo()).model)
    case .preview: photo.map { .preview($0) }
    case .photo: photo.map { .photo($0) }
    default: nil
    }
  }

  private var photo: CapturedPhoto? {
    guard let data = data ?? (assetID.isEmpty ? nil : .empty) else { return nil }
    var photo = CapturedPhoto(payload: data, info: (info ?? FrameInfo()).model)
    if let resource {
      photo.fileType = resource.type.known ?? .jpeg
      (photo.isReencoded, photo.orientationMethod) = (resource.reencoded, resource.orientationMethod.known)
    }
    (photo.flash, photo.metadata) = (flash.model, metadata?.values)
    if settled != .unspecified {
      photo.settling = PhotoSettling(
        settled.model, waited: .milliseconds(Int64(settlingMs)), frames: Int(settlingFrames))
    }
    photo.asset = assetID.isEmpty ? nil : assetID
    (photo.place, photo.bracket, photo.nearness) = (place?.model, bracket?.model, nearness?.model)
    return photo
  }
}

extension PhotoResource {
  /// A file of a photo. `method`: how it was turned or mirrored; `nil`: it was not.
  package init(
    _ type: CaptureModel.PhotoFileType, isReencoded: Bool = false, method: CaptureModel.OrientationMethod?
  ) {
    self.init(
      kind: type.isRaw ? .raw : .photo, type: PhotoFileType(type), mediaType: type.mediaType,
      reencoded: isReencoded, orientationMethod: OrientationMethod(method))
  }

  /// A small JPEG that comes before the photo.
  fileprivate static let preview = PhotoResource(
    kind: .preview, type: .jpeg, mediaType: CaptureModel.PhotoFileType.jpeg.mediaType)
}
