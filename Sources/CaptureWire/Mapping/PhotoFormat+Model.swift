package import CaptureModel

extension PhotoFileType: NumberedOnWire { package typealias Model = CaptureModel.PhotoFileType }

extension PhotoFormat {
  /// `common`: the picture that the request asks for. A format with the same picture gets no rendition of its own.
  init(_ format: CaptureModel.PhotoFormat, common: VideoRequest) {
    var taken = common
    if format.type == .png { (taken.quality, taken.subsampling) = (nil, nil) }
    if format.type.isRaw { taken = VideoRequest(encoding: .raw) }
    let file = CaptureModel.PhotoFormat(format.type, taken)
    guard Rendition(format.picture) != Rendition(file.picture) else {
      self.init(type: PhotoFileType(format.type))
      return
    }
    var rendition = Rendition(format.picture)
    (rendition.encoding, rendition.pixelFormat) = (.unspecified, 0)
    if format.type == .raw || format.type == .dng, rendition.sourcePixelFormat == 0 {
      rendition.sourcePixelFormat = format.picture.pixelFormat?.rawValue ?? 0
    }
    if format.type == .png { (rendition.quality, rendition.subsampling) = (0, .unspecified) }
    self.init(type: PhotoFileType(format.type), rendition: rendition)
  }

  /// `common`: the rendition for formats that have none of their own. Throws `invalidArgument` for a file that no camera could give.
  func model(_ common: Rendition) throws(CaptureError) -> CaptureModel.PhotoFormat {
    let type = try type.model("a photo's file type", "type") ?? .jpeg
    var rendition = rendition ?? (type.isRaw ? Rendition() : common)
    if self.rendition == nil, type == .png { (rendition.quality, rendition.subsampling) = (0, .unspecified) }
    do throws(CaptureError) {
      let possible: Encoding = type == .jpeg ? .jpeg : .raw
      guard rendition.encoding == .unspecified || rendition.encoding == possible || self.rendition == nil
      else {
        throw CaptureError(
          .invalidArgument, "the encoding of a \(type.rawValue) file follows from its type; leave it out",
          .init(.fieldsExclusive, field: "encoding"))
      }
      guard type == .raw || rendition.pixelFormat == 0 else {
        throw CaptureError(
          .invalidArgument,
          "a \(type.rawValue) file has no pixel format; the camera's format from which it is made is source_pixel_format",
          .init(.fieldsExclusive, field: "pixel_format"))
      }
      rendition.encoding = possible
      return CaptureModel.PhotoFormat(type, try rendition.model())
    } catch {
      throw error.below("rendition")
    }
  }
}

extension OrientationMethod: NumberedOnWire { package typealias Model = CaptureModel.OrientationMethod }

extension PhotoOrientation {
  init(_ transform: PictureTransform) {
    self.init(degrees: UInt32(transform.orientation.rawValue), mirrored: transform.isMirrored)
  }

  /// Throws `invalidArgument` for anything but quarter turns.
  func model() throws(CaptureError) -> PictureTransform {
    do throws(CaptureError) {
      return PictureTransform(
        orientation: try Orientation(degrees: Int(degrees)), isMirrored: mirrored)
    } catch {
      throw error.naming("settings.orientation.degrees")
    }
  }
}
