extension VideoRequest {
  /// Throws `invalidArgument` for a request that no camera could serve.
  public func validate() throws(CaptureError) {
    if let quality, !(1...100).contains(quality) {
      throw CaptureError(
        .invalidArgument, "a quality of \(quality) is not possible; it goes from 1 to 100",
        .init(.valueOutOfRange, field: "quality", asked: .number(Double(quality)), range: .init(1, 100)))
    }
    if let rate, !(rate >= 0.001 && rate <= 1000) {
      throw CaptureError(
        .invalidArgument,
        "a rate of \(rate) is not possible; it goes from 0.001 to at most 1000 frames a second",
        .init(.valueOutOfRange, field: "rate", asked: .number(rate), range: .init(0.001, 1000)))
    }
    if let size, !((1...65_535).contains(size.width) && (1...65_535).contains(size.height)) {
      throw CaptureError(
        .invalidArgument, "a size of \(size) is not possible; both sides go from 1 to 65535",
        .init(.valueOutOfRange, field: "size", asked: .text("\(size)"), range: .init(1, 65_535)))
    }
    if gravity != nil, size == nil {
      throw CaptureError(
        .invalidArgument, "a gravity says how pictures fill a size, and the request has no size",
        .init(.valueMissing, field: "size"))
    }
    if let settling, !(.zero...Self.longestSettling).contains(settling) {
      throw CaptureError(
        .invalidArgument,
        "a photo cannot wait \(settling / .seconds(1)) s for the camera to settle; it waits 0 to "
          + "\(Self.longestSettling.components.seconds) s",
        .init(
          .valueOutOfRange, field: "settings.settle.longest_ms",
          asked: .number(settling / .milliseconds(1)),
          range: .init(0, Self.longestSettling / .milliseconds(1))))
    }
    for (tag, text) in tags {
      do throws(CaptureError) { try tag.validate(text) } catch { throw error.below("settings.tags") }
    }
    if let shot { try ShotName.validate(shot) }
    if !hasMetadata, shot != nil {
      throw CaptureError(
        .invalidArgument, "a photo without metadata has no name of its shot; leave out one of both",
        .init(.fieldsExclusive, field: "settings.shot"))
    }
    if !hasMetadata, !tags.isEmpty {
      throw CaptureError(
        .invalidArgument, "a photo without metadata has no tags; leave out one of both",
        .init(.fieldsExclusive, field: "settings.tags"))
    }
    if encoding == .jpeg, sourcePixelFormat != nil {
      throw CaptureError(
        .invalidArgument, "the format from which a JPEG is encoded is its pixel format",
        .init(.fieldsExclusive, field: "source_pixel_format"))
    }
    if encoding == .raw, quality != nil || subsampling != nil {
      throw CaptureError(
        .invalidArgument, "quality and subsampling are for JPEG; raw frames have none",
        .init(.fieldsExclusive, field: quality == nil ? "subsampling" : "quality"))
    }
  }
}
