package import CaptureModel

extension AssetFilter {
  /// The media type `unknown` is left out: no filter can ask for it.
  package init(_ filter: LibraryFilter) {
    self.init(
      device: filter.camera?.rawValue ?? "", fromUtcNs: filter.from ?? 0, untilUtcNs: filter.until ?? 0,
      labels: filter.labels, media: AssetMediaType(filter.media == .unknown ? nil : filter.media),
      sequence: filter.sequence ?? "")
  }

  /// Throws `invalidArgument` for a filter that no asset could have.
  package func model() throws(CaptureError) -> LibraryFilter {
    var filter = LibraryFilter()
    filter.camera = device.isEmpty ? nil : CameraID(rawValue: device)
    filter.from = fromUtcNs == 0 ? nil : fromUtcNs
    filter.until = untilUtcNs == 0 ? nil : untilUtcNs
    (filter.labels, filter.sequence) = (labels, sequence.isEmpty ? nil : sequence)
    filter.media = media.known
    guard media == .unspecified || filter.media ?? .unknown != .unknown else {
      throw CaptureError(
        .invalidArgument, "the library knows no media type \(media.rawValue)",
        .init(
          .valueNotPossible, field: "filter.media", asked: .number(Double(media.rawValue)),
          possible: ["IMAGE", "VIDEO", "AUDIO"]))
    }
    if let from = filter.from, let until = filter.until, until <= from {
      throw CaptureError(
        .invalidArgument, "the filter ends before it begins",
        .init(.valueOutOfRange, field: "filter.until_utc_ns"))
    }
    return filter
  }
}
