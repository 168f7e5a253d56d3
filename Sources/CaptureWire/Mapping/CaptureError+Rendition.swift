package import CaptureModel

extension CaptureError {
  /// Returns the same error; a field of a `Rendition` that its details name becomes a path in the request. `path`: where the request has the rendition.
  package func ofRendition(at path: String) -> CaptureError {
    guard var details, let field = details.field, Rendition.fieldNames.contains(field) else { return self }
    details.field = "\(path).\(field)"
    return with(details)
  }

  /// Returns the same error of a photo; a field that its details name becomes a path in a request for a timelapse, whose `photo` has the photo's `settings`.
  package var ofTimelapse: CaptureError {
    guard let field = details?.field, field.hasPrefix("settings") else { return below("timelapse") }
    return naming("timelapse.photo" + field.dropFirst("settings".count))
  }
}

extension Rendition {
  fileprivate static let fieldNames: Set = [
    "encoding", "pixel_format", "size", "gravity", "crop", "orientation", "mirrored", "quality",
    "subsampling", "source_pixel_format",
  ]
}
