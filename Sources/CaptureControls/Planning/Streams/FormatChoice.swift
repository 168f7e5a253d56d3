import CaptureModel

/// Chooses the stream of an idle camera for the first client that asks.
///
/// - JPEG: the camera's own where the request names neither quality nor subsampling; otherwise the raw format that costs least to encode; otherwise
///   the camera's own, decoded and encoded again.
/// - Raw: the format that the request names, otherwise the camera's first uncompressed one. If the camera does not give the named format at that size
///   and rate, but the format is a ``PixelTarget``, the stream has the format that costs least to encode, and the node converts it.
/// - A JPEG photo is encoded from raw frames, at its size, where those come ten times a second or more: a camera compresses its own JPEGs for video.
///   Where raw frames are slower, as on USB webcams at their largest sizes, the camera's JPEG is the photo: a sensor that is slowed down to the rate
///   of the bus gives more blur than compression costs.
/// - Size: exactly the requested one. With a gravity, the smallest from which that size can be made without enlarging, or else the largest. If the
///   request names no size: for a photo, the largest in any format; for video, the camera's preferred size, or else the largest up to 1280x720 that
///   is fast enough. Of a range of sizes, only ``SizeOption/openSizes`` count, such as the size that the driver is set to.
/// - Rate: the lowest that reaches the requested one; the subscription is thinned to that. If the request names no rate: the lowest that reaches 30
///   frames a second, or the driver's choice where the driver takes any rate.
package struct FormatChoice: Sendable {
  /// What to optimize where the request leaves the size open.
  package enum Purpose: Sendable { case video, photo }

  let camera: String
  /// The formats that the camera lists.
  package var formats: [FormatDescription]
  /// Whether the fastest format is good enough where none reaches the requested rate.
  package var acceptsLowerRate = false
  /// Whether the node converts frames. Otherwise a requested pixel format has to be the camera's own.
  package var converts = false
  let isEncodable: @Sendable (PixelFormat) -> Bool
  let isTurnable: @Sendable (PixelFormat) -> Bool
  let preferredSize: FrameSize?

  /// `formats` are those that the camera lists. Stepwise sizes count only where ``FormatDescription/pinned(to:intervals:)`` made them discrete, and
  /// as ``SizeOption/openSizes``. `isTurnable` matters only for raw requests with a transform.
  package init(
    camera: String, formats: [FormatDescription], preferredSize: FrameSize? = nil,
    isEncodable: @escaping @Sendable (PixelFormat) -> Bool,
    isTurnable: @escaping @Sendable (PixelFormat) -> Bool = { _ in false }
  ) {
    self.preferredSize = preferredSize
    self.camera = camera
    self.formats = formats
    self.isEncodable = isEncodable
    self.isTurnable = isTurnable
  }

  static let usualRate = 30.0
  /// Frames a second from which raw frames are preferred for a photo.
  static let photoRate = 10.0
  static let usualSize = FrameSize(width: 1280, height: 720)

  /// The stream to start. Throws `invalidArgument`, which says what is possible.
  package func choose(_ request: VideoRequest, for purpose: Purpose = .video) throws(CaptureError)
    -> StreamRequest
  {
    try request.validate()
    if let source = request.sourcePixelFormat {
      var (request, choice) = (request, self)
      request.sourcePixelFormat = nil
      choice.formats = try formats(in: source)
      return try choice.choose(request, for: purpose)
    }
    guard converts, let target = request.target else { return try choose(request, purpose, nil) }
    if formats.contains(where: { $0.pixelFormat == target.pixelFormat }),
      let own = try? choose(request, purpose, nil)
    {
      return own
    }
    return try choose(request, purpose, target)
  }

  /// `target`: the format to which the camera's frames will be converted.
  private func choose(_ request: VideoRequest, _ purpose: Purpose, _ target: PixelTarget?)
    throws(CaptureError) -> StreamRequest
  {
    let possible = if let target { try sources(of: target, request) } else { try admissibleFormats(request) }
    let sized = try candidates(possible, request)
    let reaching = try candidates(sized, reaching: request)
    let best = reaching.min { isPreferred($0, to: $1, request, purpose) }!
    return StreamRequest(pixelFormat: best.pixelFormat, size: best.size, interval: best.interval)
  }

  /// A stream that the camera can deliver.
  struct Candidate {
    var pixelFormat: PixelFormat
    /// Lower is better.
    var formatRank: Int
    /// Whether the camera compresses it. An emulated format counts too: it is decoded from a compressed one.
    var isCompressed: Bool
    var size: FrameSize
    /// The interval chosen among `intervals`; `nil` where the driver reports none.
    var interval: FrameInterval?
    var intervals: IntervalOptions
  }

  private func isPreferred(
    _ a: Candidate, to b: Candidate, _ request: VideoRequest, _ purpose: Purpose
  ) -> Bool {
    let (rankA, rankB) = (request.gravityRank(of: a.size), request.gravityRank(of: b.size))
    if rankA != rankB { return rankA < rankB }
    if request.sourceSize == nil, a.size != b.size {
      switch purpose {
      case .photo: if a.size.area != b.size.area { return a.size.area > b.size.area }
      case .video:
        let (rankA, rankB) = (videoRank(a, request), videoRank(b, request))
        if rankA != rankB { return rankA < rankB }
      }
    }
    if purpose == .photo, isGoodForPhotos(a) != isGoodForPhotos(b) { return isGoodForPhotos(a) }
    return a.formatRank < b.formatRank
  }

  private func isGoodForPhotos(_ candidate: Candidate) -> Bool {
    !candidate.isCompressed && (candidate.interval?.reaches(rate: Self.photoRate) ?? true)
  }

  /// Ranks candidates for video; lower is better. The preferred size comes first. Fast candidates come before slow ones, and among each of these,
  /// sizes that are not too large before sizes that are. Of the former the largest comes first, of the latter the smallest.
  private func videoRank(_ candidate: Candidate, _ request: VideoRequest) -> Int {
    if candidate.size == preferredSize { return -1 }
    let isQuick = candidate.interval?.reaches(rate: min(request.rate ?? 25, 25)) ?? true
    let isLarge =
      candidate.size.width > Self.usualSize.width || candidate.size.height > Self.usualSize.height
    let group = (isQuick ? 0 : 2) + (isLarge ? 1 : 0)
    let area = min(candidate.size.area, 1 << 32)
    return group << 33 + (isLarge ? area : (1 << 32) - area)
  }
}
