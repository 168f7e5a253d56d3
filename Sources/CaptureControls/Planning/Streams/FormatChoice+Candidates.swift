import CaptureModel

extension FormatChoice {
  typealias RankedFormat = (format: FormatDescription, rank: Int)

  /// Raw formats in the order of what encoding them costs: first 4:2:2 and 4:2:0 as they are, then those that need a conversion. Decoding JPEG comes
  /// last.
  private static let encodingOrder: [PixelFormat] = [
    .yuyv, .uyvy, .yvyu, .vyuy, .yuv422p, .nv16, .yu12, .yu12m, .yv12, .nv12, .nv12m, .nv21, .rgb3, .bgr3,
    .xr24,
  ]

  /// Further raw formats that are encoded as they are, in no order. Raw formats that are in neither list are converted into one of these first.
  static let readFormats = Set(
    """
    422P YM16 YM61 YV12 YM21 NM21 NV61 NM16 NM61 NV24 NV42 YM24 YM42 GREY AR24 BX24 BA24 XB24 AB24 RX24 RA24 RGB4 BGR4 \
    RGBP XR15 AR15 RGBO XR12 AR12 R444 RGGB GRBG GBRG BA81
    """.split(separator: " ").map { PixelFormat(String($0))! })

  /// The formats that can serve the request, with their ranks.
  func admissibleFormats(_ request: VideoRequest) throws(CaptureError) -> [RankedFormat] {
    guard !formats.isEmpty else {
      throw CaptureError(.unavailable, "\(camera) offers no formats", .init(.cameraUnusable))
    }
    var offered = formats
    if let asked = request.pixelFormat {
      offered = formats.filter { $0.pixelFormat == asked }
      guard !offered.isEmpty else {
        let names = distinct(formats.map { "\($0.pixelFormat)" })
        let way =
          converts && request.encoding == .raw ? "; the node converts to \(PixelTarget.list)" : ""
        throw refusal(
          "\(camera) offers no \(asked); it offers: \(names.joined(separator: ", "))\(way)",
          .init(.valueNotPossible, field: "pixel_format", asked: .text("\(asked)"), possible: names))
      }
    }
    switch request.encoding {
    case .raw:
      if !request.transform.isIdentity {
        let names = list(offered.map { "\($0.pixelFormat)" })
        offered = offered.filter { isTurnable($0.pixelFormat) }
        if offered.isEmpty {
          throw refusal(
            "\(camera) gives \(names), which cannot be turned or cropped raw; ask for JPEG",
            .init(.valueNotPossible, field: "encoding", asked: "raw", possible: ["jpeg"]))
        }
      }
      let uncompressed = offered.filter { !$0.isCompressed }
      return (uncompressed.isEmpty ? offered : uncompressed).enumerated().map { index, format in
        (format, index + (format.isEmulated ? 1000 : 0))
      }
    case .jpeg:
      let ranked = offered.compactMap { format in
        encodingRank(format, request).map { (format, $0) }
      }
      if ranked.isEmpty {
        let names = list(offered.map { "\($0.pixelFormat)" })
        throw refusal(
          "\(camera) gives \(names), which cannot be encoded as JPEG; ask for raw frames",
          .init(.valueNotPossible, field: "encoding", asked: "jpeg", possible: ["raw"]))
      }
      return ranked
    }
  }

  /// The camera's formats with the pixel format that a request names as the source of its frames.
  func formats(in source: PixelFormat) throws(CaptureError) -> [FormatDescription] {
    let named = formats.filter { $0.pixelFormat == source }
    guard named.isEmpty else { return named }
    throw refusal(
      "\(camera) offers no \(source) to convert; it offers: \(offer)",
      .init(
        .valueNotPossible, field: "source_pixel_format", asked: .text("\(source)"),
        possible: distinct(formats.map { "\($0.pixelFormat)" })))
  }

  /// The formats of which `target` can be made, with their ranks.
  func sources(of target: PixelTarget, _ request: VideoRequest) throws(CaptureError) -> [RankedFormat] {
    let ranked = formats.compactMap { format in workRank(format).map { (format, $0) } }
    guard !ranked.isEmpty else {
      throw refusal(
        "\(camera) offers no \(target.pixelFormat), and it cannot be made of what it offers: \(offer); "
          + "the node converts to \(PixelTarget.list)",
        .init(
          .valueNotPossible, field: "pixel_format", asked: .text("\(target.pixelFormat)"),
          possible: distinct(formats.map { "\($0.pixelFormat)" })))
    }
    // Without a gravity only the camera's own sizes are possible, which are looked at next.
    if let size = request.size, request.gravity == .fill || request.gravity == .resize {
      try target.check(size, within: FrameSize(width: size.width + 1, height: size.height + 1))
    }
    return ranked
  }

  /// "YUYV, MJPG"
  private var offer: String { list(formats.map { "\($0.pixelFormat)" }) }

  private func encodingRank(_ format: FormatDescription, _ request: VideoRequest) -> Int? {
    // Turning the camera's JPEG can be lossless; zooming into it cannot.
    if format.pixelFormat.isJPEG, !request.requiresEncoding, request.transform.crop == .full { return 0 }
    return workRank(format)
  }

  /// Ranks formats by what it costs to read them.
  private func workRank(_ format: FormatDescription) -> Int? {
    guard isEncodable(format.pixelFormat) else { return nil }
    let place =
      Self.encodingOrder.firstIndex(of: format.pixelFormat)
      ?? (format.pixelFormat.isJPEG
        ? 500 : Self.readFormats.contains(format.pixelFormat) ? Self.encodingOrder.count : 400)
    return 1 + place + (format.isEmulated ? 1000 : 0)
  }

  /// Every admissible format at every size that it can have.
  func candidates(_ ranked: [RankedFormat], _ request: VideoRequest) throws(CaptureError) -> [Candidate] {
    let found = ranked.flatMap { format, rank in
      format.sizes.flatMap { option in
        sizes(of: option, request).map { size in
          Candidate(
            pixelFormat: format.pixelFormat, formatRank: rank,
            isCompressed: format.isCompressed || format.isEmulated, size: size, interval: nil,
            intervals: option.intervals)
        }
      }
    }
    if !found.isEmpty { return found }
    guard let asked = request.sourceSize else {
      throw CaptureError(.unavailable, "\(camera) offers no sizes", .init(.cameraUnusable))
    }
    let form = request.encoding == .jpeg ? "JPEG" : request.pixelFormat.map { "\($0)" } ?? "raw frames"
    let near = nearest(to: asked, in: ranked.map(\.format)).map(\.description)
    throw refusal(
      "\(camera) offers no \(asked) as \(form); nearest: \(near.joined(separator: ", "))",
      .init(.valueNotPossible, field: "size", asked: .text("\(asked)"), possible: near))
  }

  /// The sizes of an option that are worth considering.
  private func sizes(of option: SizeOption, _ request: VideoRequest) -> [FrameSize] {
    if let asked = request.sourceSize { return option.contains(asked) ? [asked] : [] }
    return option.openSizes
  }

  /// The candidates with their intervals chosen. Those that are too slow for the requested rate are left out.
  func candidates(_ candidates: [Candidate], reaching request: VideoRequest) throws(CaptureError)
    -> [Candidate]
  {
    let chosen = candidates.map { candidate in
      var candidate = candidate
      candidate.interval = interval(of: candidate, request)
      return candidate
    }
    guard let rate = request.rate else { return chosen }
    let reaching = chosen.filter { $0.interval?.reaches(rate: rate) ?? true }
    if !reaching.isEmpty { return reaching }
    if acceptsLowerRate { return chosen }
    let best = chosen.max { ($0.interval?.rate ?? 0) < ($1.interval?.rate ?? 0) }!
    let place = request.sourceSize.map { " at \($0)" } ?? ""
    throw refusal(
      "\(camera) does not reach \(FrameInterval.text(ofRate: rate))\(place); the most is \(best.interval!) "
        + "(\(best.pixelFormat) \(best.size))",
      .init(
        .valueOutOfRange, field: "rate", asked: .number(rate), range: .init(0.001, best.interval!.rate)))
  }

  private func interval(of candidate: Candidate, _ request: VideoRequest) -> FrameInterval? {
    guard let rate = request.rate else {
      if case .range = candidate.intervals { return nil }
      return candidate.intervals.slowest(reaching: Self.usualRate)
    }
    return candidate.intervals.slowest(reaching: rate) ?? FrameInterval(rate: rate)
  }

  private func refusal(_ text: String, _ details: CaptureError.Details) -> CaptureError {
    CaptureError(.invalidArgument, text, details)
  }

  private func list(_ items: [String]) -> String { distinct(items).joined(separator: ", ") }

  private func distinct(_ items: [String]) -> [String] {
    var seen: Set<String> = []
    return items.filter { seen.insert($0).inserted }
  }

  /// The four offered sizes that are most similar to `asked`.
  private func nearest(to asked: FrameSize, in formats: [FormatDescription]) -> [FrameSize] {
    func distance(_ size: FrameSize) -> Int {
      abs(size.width - asked.width) + abs(size.height - asked.height)
    }
    let offered = formats.flatMap(\.sizes).map { $0.nearest(to: asked) }
    var seen: Set<FrameSize> = []
    let distinct = offered.filter { seen.insert($0).inserted }.sorted { distance($0) < distance($1) }
    return Array(distinct.prefix(4))
  }
}
