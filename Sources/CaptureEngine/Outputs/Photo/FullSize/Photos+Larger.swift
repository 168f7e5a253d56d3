import CaptureControls
import CaptureModel

/// Photos of a stream that runs in a larger format for them (``FullSize/big``).
extension Photos {
  /// Calls `body` with the stream. If the request asks for full size, the stream has that size while `body` runs.
  func enlarging<Value>(
    _ stream: ActiveStream, for request: PhotoRequest, on device: isolated Device,
    _ body: (ActiveStream) async throws(CaptureError) -> Value
  ) async throws(CaptureError) -> Value {
    guard request.fullSize == .big else { return try await body(stream) }
    // Without a signal the request is refused before the camera changes its format.
    try await inputs.requireSignal(for: request.frame)
    return try await largerStream.run(request, in: stream, on: device, body)
  }

  /// Does as ``enlarging(_:for:on:_:)`` does, with the stream that ``withStream(for:of:on:_:)`` finds or starts.
  func withEnlargedStream<Value>(
    for request: PhotoRequest, of input: PhotoInput?, on device: isolated Device,
    _ body: (PhotoRequest, ActiveStream) async throws(CaptureError) -> Value
  ) async throws(CaptureError) -> Value {
    try await withStream(for: request, of: input, on: device) { request, stream throws(CaptureError) in
      try await enlarging(stream, for: request, on: device) { stream throws(CaptureError) in
        try await body(request, stream)
      }
    }
  }

  /// The larger format in which the stream runs for a photo; `nil`: the request does not ask for one, or the stream is large enough. Throws
  /// `failedPrecondition` if a subscriber's frames cannot be made of larger ones.
  func largerFormat(for request: PhotoRequest, than stream: ActiveStream) async throws(CaptureError)
    -> StreamRequest?
  {
    // A stream that was started for a photo is as large as the photo already.
    guard request.fullSize == .big, stream.isForSubscribers,
      let full = try await fullFormat(of: request, beside: stream)
    else { return nil }
    let wanted = await faster(full, for: request, stream.viewed ?? stream.format)
    guard context.camera.imaging.isEncodable(wanted.pixelFormat) else {
      throw CaptureError(
        .failedPrecondition,
        "\(context.camera.name) would run in \(wanted.pixelFormat) for that photo, and the node cannot make smaller frames of that for those who watch; "
          + "ask for full_size 'switch'",
        .init(.notSupported, field: "settings.full_size", asked: .text(FullSize.big.rawValue)))
    }
    let larger = LargerSource(StreamFormat(wanted), insteadOf: stream.viewed ?? stream.format)
    let holders = stream.video.holders(excludedBy: larger)
    guard holders.isEmpty else { throw larger.refusal(of: context.camera.name, for: holders) }
    _ = try photoPlan(request, switchedTo: StreamFormat(wanted))
    return wanted
  }

  /// Returns a format of the size of `full` for video, as fast as the present stream if the camera can. `full` itself is for stills, and may be
  /// slower.
  private func faster(_ full: StreamRequest, for request: PhotoRequest, _ viewed: StreamFormat) async
    -> StreamRequest
  {
    let leading = request.leading
    guard leading.type == .jpeg || leading.type == .png, leading.picture.sourcePixelFormat == nil else {
      return full
    }
    var video = VideoRequest(encoding: .jpeg, size: full.size, rate: viewed.interval?.rate)
    if let fast = try? await frameDuration.choose(video, for: .video) { return fast }
    video.rate = nil
    guard let fast = try? await frameDuration.choose(video, for: .video) else { return full }
    return (fast.interval?.rate ?? 0) > (full.interval?.rate ?? 0) ? fast : full
  }
}

extension LargerSource {
  /// The error of a photo that asks for larger frames, of which the frames of some subscribers cannot be made.
  func refusal(of camera: String, for holders: [String]) -> CaptureError {
    CaptureError(
      .failedPrecondition,
      "\(camera) cannot run in \(frames.size) beside \(holders.formatted): raw \(stream.pixelFormat) cannot be made of larger frames; "
        + "ask for full_size 'switch', or for their frames as JPEG or as one of \(PixelTarget.list)",
      .init(
        .heldByStream, field: "settings.full_size", asked: .text(FullSize.big.rawValue),
        possible: FullSize.allCases.filter { $0 != .big }.map(\.rawValue), holder: holders.first ?? ""))
  }

  /// The error of a new subscriber whose frames cannot be made of the larger ones that the camera gives now.
  func refusal(of camera: CameraID) -> CaptureError {
    CaptureError(
      .failedPrecondition,
      "'\(camera)' runs in \(frames.size) for photos, and raw \(stream.pixelFormat) of \(stream.size) cannot be made from that; "
        + "ask for JPEG or for one of \(PixelTarget.list), or try again: the camera returns to \(stream.size) \(LargerStream.usualTimeLarge.components.seconds) s after the last such photo",
      .init(
        .valueNotPossible, field: "pixel_format", asked: .text("\(stream.pixelFormat)"),
        possible: PixelTarget.allCases.map { "\($0.pixelFormat)" }))
  }
}

extension [String] {
  /// "client 7 (unix) and client 9 (unix)", each once.
  fileprivate var formatted: String {
    var seen: Set<String> = []
    return filter { seen.insert($0).inserted }.joined(separator: " and ")
  }
}
