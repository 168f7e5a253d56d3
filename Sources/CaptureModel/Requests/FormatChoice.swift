/// Chooses what an idle camera shall stream for the first that asks.
///
/// - JPEG: the camera's own where neither quality nor subsampling was asked for, else the raw format that costs least to
///   encode, else the camera's own decoded and encoded again; raw: the format asked for, else the camera's first uncompressed one.
/// - A photo as JPEG, at its size, is encoded from raw frames where those come ten times a second or more: a camera compresses its
///   own JPEGs for video. Where raw is slower, as on USB webcams at their largest sizes, the camera's JPEG is the photo: a sensor slowed
///   down to what the bus carries gives more blur than an encoder costs.
/// - Size: exactly the one asked for; else for a photo the largest in any format, for video the camera's preferred one, else the largest
///   up to 1280x720 that is quick enough. Of a range of sizes those of ``SizeOption/openSizes`` count: what the driver is set to.
/// - Rate: the lowest that reaches the one asked for, the subscription being thinned; else the lowest that reaches 30, or the
///   driver's choice where it takes any.
public struct FormatChoice: Sendable {
  /// What to optimize where the request leaves the size open.
  public enum Purpose: Sendable { case video, photo }

  let camera: String
  /// As the camera lists them.
  public var formats: [FormatDescription]
  /// Where no format reaches the rate asked for, the fastest is good enough.
  public var takesLess = false
  let isEncodable: @Sendable (PixelFormat) -> Bool
  let isTurnable: @Sendable (PixelFormat) -> Bool
  let preferredSize: FrameSize?

  /// `formats` as the camera lists them; of stepwise sizes only those are considered that ``FormatDescription/pinned(to:intervals:)``
  /// made discrete, and ``SizeOption/openSizes``. `isTurnable`: matters for raw requests with a transform alone.
  public init(
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

  /// The stream to start. Throws `invalidArgument` naming what is possible.
  public func choose(_ request: VideoRequest, for purpose: Purpose = .video) throws(CaptureError)
    -> StreamRequest
  {
    try request.validate()
    let possible = try admissibleFormats(request)
    let sized = try candidates(possible, request)
    let reaching = try candidates(sized, reaching: request)
    let best = reaching.min { isPreferred($0, to: $1, request, purpose) }!
    return StreamRequest(pixelFormat: best.pixelFormat, size: best.size, interval: best.interval)
  }

  /// One thing the camera can stream.
  struct Candidate {
    var pixelFormat: PixelFormat
    /// Lower is better.
    var formatRank: Int
    /// By the camera, or by its driver's emulation, which decodes.
    var isCompressed: Bool
    var size: FrameSize
    /// Chosen among `intervals`; `nil` where the driver says none.
    var interval: FrameInterval?
    var intervals: IntervalOptions
  }

  private func isPreferred(
    _ a: Candidate, to b: Candidate, _ request: VideoRequest, _ purpose: Purpose
  ) -> Bool {
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

  /// First those that are quick and not too large, then the quick, then the others; the larger ahead, too large ones after.
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
