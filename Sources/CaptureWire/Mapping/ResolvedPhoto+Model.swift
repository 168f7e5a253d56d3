public import CaptureModel

extension ResolvedPhotoSettings {
  public init(_ photo: ResolvedPhoto) {
    self.init(
      files: photo.files.map { file in
        ResolvedPhotoFile(
          type: PhotoFileType(file.type), size: Size(file.size), sourcePixelFormat: file.source.rawValue,
          reencoded: file.isReencoded, orientationMethod: OrientationMethod(file.orientationMethod))
      },
      flash: LightMode(photo.flash), settle: SettlingBound(photo.settling),
      thumbnail: photo.thumbnail.map { Size($0) }, preview: photo.preview.map { Size($0) })
  }

  /// The description that the node sent.
  package var model: ResolvedPhoto {
    ResolvedPhoto(
      files: files.map { file in
        ResolvedPhoto.File(
          file.type.known ?? .jpeg, size: file.size?.model ?? FrameSize(width: 0, height: 0),
          source: PixelFormat(rawValue: file.sourcePixelFormat), isReencoded: file.reencoded,
          orientationMethod: file.orientationMethod.known)
      },
      flash: flash.known, settling: .milliseconds(Int64(settle?.longestMs ?? 0)),
      thumbnail: thumbnail?.model, preview: preview?.model)
  }
}
