import CaptureEngine
import CaptureModel
import CaptureSystem
import CaptureWire

/// `capture.v1.Photos`: stills.
struct PhotosEndpoint: PhotosService {
  let engine: CaptureEngine
  let unread: UnreadPhotos

  func capture(
    _ request: CapturePhotoRequest, context: CallContext, responses: ResponseWriter<PhotoEvent>
  ) async throws {
    let requested = MonotonicClock.now()
    let wanted = try request.model()
    let take = try await camera(of: request)
    // A separate task sends the events: a client that does not read them must not keep the camera from others.
    let (events, tell) = AsyncStream.makeStream(of: PhotoEvent.self)
    async let taking = {
      defer { tell.finish() }
      return try await take(wanted, requested) { tell.yield(PhotoEvent($0)) }
    }()
    for await event in events { try await responses.send(event) }
    let photo: Photo
    do { photo = try await taking } catch let error as CaptureError {
      throw error.ofRendition(at: CapturePhotoRequest.renditionPath)
    }
    try await unread.count(photo.picture.payload) { try await responses.send(PhotoEvent(photo)) }
  }

  private typealias Taking =
    @Sendable (VideoRequest, _ requested: UInt64, _ progress: @escaping @Sendable (PhotoProgress) -> Void)
    async throws -> Photo

  /// A camera's default session, or a session's output.
  private func camera(of request: CapturePhotoRequest) async throws -> Taking {
    if try request.isOfSession() {
      let (session, output) = (try await engine.session(request.session), request.output)
      return { try await session.capturePhoto($0, output: output, requested: $1, progress: $2) }
    }
    let device = try engine.device(request.device)
    return { wanted, requested, progress in
      try await device.run { device in
        try await device.photos.capture(wanted, on: device, requested: requested, progress: progress)
      }
    }
  }
}

private let clock = UTCClock()

extension PhotoEvent {
  fileprivate init(_ photo: Photo) {
    let description = photo.picture.description
    self.init(
      stage: .photo, info: FrameInfo(description, clock: clock), flash: .init(description.flash),
      metadata: photo.metadata.map { PhotoMetadata($0) }, data: photo.picture.payload)
    guard let settling = description.settling else { return }
    settled = Provenance(settling.provenance)
    settlingMs = UInt32(clamping: Int64((settling.waited / .milliseconds(1)).rounded()))
    settlingFrames = UInt32(clamping: settling.frames)
  }

  fileprivate init(_ progress: PhotoProgress) {
    switch progress {
    case .willCapture: self.init(stage: .willCapture)
    case .didCapture(let frame): self.init(stage: .didCapture, info: FrameInfo(frame, clock: clock))
    }
  }
}
