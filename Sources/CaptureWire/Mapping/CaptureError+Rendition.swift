package import CaptureModel

extension CaptureError {
  /// Returns the error for a request that has a `Rendition` at `path`: if the details name one of the rendition's fields, they get that field's path
  /// in the request.
  package func ofRendition(at path: String) -> CaptureError {
    guard var details, let field = details.field, Rendition.fieldNames.contains(field) else { return self }
    details.field = "\(path).\(field)"
    return with(details)
  }

  /// The error of a photo, for a request for a timelapse. If the details name a field, they get its path in that request, whose `timelapse.photo` has
  /// the photo's `settings`.
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
