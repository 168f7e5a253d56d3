import CaptureEngine
import CaptureModel
import CaptureSystem
import CaptureWire

import class CaptureEngine.Device

/// `capture.v1.Photos`: stills.
struct PhotosEndpoint: PhotosService {
  let engine: ServedEngine
  let unread: UnreadPhotos
  let kept: RequestedPhotos
  let library: NodeLibrary
  let viewers: Viewers

  func capture(
    _ request: CapturePhotoRequest, context: CallContext, responses: ResponseWriter<PhotoEvent>
  ) async throws {
    let requested = MonotonicClock.now()
    // One that names no camera is refused below.
    guard !request.dryRun, let camera = try? await source(of: request, context).device.id else {
      return try await taken(request, requested: requested, context: context, responses: responses)
    }
    try await viewers.note(context, taking: .photo, of: camera) {
      try await taken(request, requested: requested, context: context, responses: responses)
    }
  }

  /// The camera of which a request wants photos, and how its session sees that; `nil`: it names the camera itself.
  func source(of request: CapturePhotoRequest, _ context: CallContext) async throws -> (
    device: Device, input: PhotoInput?
  ) {
    let seen = engine.seen(by: context)
    guard try request.isOfSession() else { return (try seen.device(request.device), nil) }
    let input = try await seen.session(request.session).photoInput(output: request.output)
    return (input.device, input)
  }

  private func taken(
    _ request: CapturePhotoRequest, requested: UInt64, context: CallContext,
    responses: ResponseWriter<PhotoEvent>
  ) async throws {
    let wanted = try request.model()
    let time = try request.photoTime(bootID: MonotonicClock.bootID)
    let (steps, burst) = (try request.bracketSteps(), try request.burst())
    try request.requireWhole(time)
    if !steps.isEmpty {
      return try await captureBracket(steps, request, context: context, responses: responses)
    }
    if let burst {
      return try await captureBurst(
        burst, request, requested: requested, context: context, responses: responses)
    }
    do {
      let storage = try await PhotoStorage(request.settings, library, context)
      if request.dryRun {
        let (device, input) = try await source(of: request, context)
        let permitted = context.permitted(wanted, of: device.id)
        let resolved = try await device.run { try await $0.photos.resolve(permitted, of: input, on: $0) }
        return try await responses.send(PhotoEvent(.willBegin(resolved)))
      }
      let take = try await taking(
        request, at: time, switching: wanted.fullSize?.interrupts == true, context)
      let photo =
        if let id = wanted.id {
          try await repeated(try await origin(of: request, id, context), wanted, at: time, to: responses) {
            try await storage.kept(try await take(wanted, requested, $0))
          }
        } else {
          try await once(to: responses) { try await storage.kept(try await take(wanted, requested, $0)) }
        }
      for file in photo.files { try await send(storage.event(file, of: photo), to: responses) }
    } catch let error as CaptureError {
      throw error.ofRendition(at: CapturePhotoRequest.renditionPath)
    }
  }

  private typealias Work = @Sendable (@escaping @Sendable (PhotoProgress) -> Void) async throws -> Photo

  /// Takes a photo that ends with its call, and sends its progress.
  private func once(to responses: ResponseWriter<PhotoEvent>, _ take: @escaping Work) async throws -> Photo {
    // A separate task sends the events: a client that does not read them must not keep the camera from others.
    let (events, tell) = AsyncStream.makeStream(of: PhotoProgress.self)
    async let taking = {
      defer { tell.finish() }
      return try await take { tell.yield($0) }
    }()
    for await progress in events { try await send(PhotoEvent(progress), to: responses) }
    return try await taking
  }

  /// Takes a photo, or finds the one of the same request, and sends its progress.
  private func repeated(
    _ key: RequestedPhotos.Key, _ wanted: PhotoRequest, at time: PhotoTime,
    to responses: ResponseWriter<PhotoEvent>,
    _ take: @escaping Work
  ) async throws -> Photo {
    let photo = try kept.photo(key, wanted, at: time, take: take)
    for await progress in photo.follow() { try await send(PhotoEvent(progress), to: responses) }
    guard let result = photo.result else { throw CancellationError() }
    return try result.get()
  }

  /// Sends an event. Its files count as unread until the client has taken them.
  private func send(_ event: PhotoEvent, to responses: ResponseWriter<PhotoEvent>) async throws {
    guard let data = event.data else { return try await responses.send(event) }
    try await unread.count(data) { try await responses.send(event) }
  }

  private func origin(
    of request: CapturePhotoRequest, _ id: String, _ context: CallContext
  ) async throws -> RequestedPhotos.Key {
    let isOfSession = try request.isOfSession()
    let origin =
      isOfSession
      ? "session \(request.session)/\(request.output)"
      : try engine.seen(by: context).device(request.device).id.rawValue
    return RequestedPhotos.Key(client: context.owner, origin: origin, id: id)
  }

  private typealias Taking =
    @Sendable (PhotoRequest, _ requested: UInt64, _ progress: @escaping @Sendable (PhotoProgress) -> Void)
    async throws -> Photo

  /// What takes the photo of a request. `switching`: others' stream may be interrupted, so it needs the lease where another client holds one.
  private func taking(
    _ request: CapturePhotoRequest, at time: PhotoTime, switching: Bool, _ context: CallContext
  ) async throws -> Taking {
    let (device, _) = try await source(of: request, context)
    let take: Taking = { wanted, requested, progress in
      // The session may have changed since the request came.
      let (device, input) = try await source(of: request, context)
      let permitted = context.permitted(wanted, of: device.id)
      return try await device.run { device in
        try await device.photos.capture(
          permitted, at: time, of: input, on: device, requested: requested, progress: progress)
      }
    }
    guard switching else { return take }
    return { wanted, requested, progress in
      try await engine.seen(by: context).withLease(on: device) { try await take(wanted, requested, progress) }
    }
  }
}

extension CallContext {
  /// The photo as the caller may take it: without control of the camera, the camera's flash mode does not count, and the flash is off.
  fileprivate func permitted(_ wanted: PhotoRequest, of camera: CameraID) -> PhotoRequest {
    guard caller.making(.control, in: .video)?.cameras.contains(camera) != true else { return wanted }
    var wanted = wanted
    wanted.frame.flash = .off
    return wanted
  }
}

private let clock = UTCClock()

extension PhotoEvent {
  init(_ file: PhotoFile, of photo: Photo) {
    let description = file.picture.description
    self.init(
      stage: .photo, info: FrameInfo(description, clock: clock), flash: .init(description.flash),
      metadata: file.metadata.map { PhotoMetadata($0) }, resource: PhotoResource(file),
      nearness: photo.nearness.map { PhotoNearness($0) }, data: file.picture.payload)
    guard let settling = description.settling else { return }
    settled = Provenance(settling.provenance)
    settlingMs = UInt32(clamping: Int64((settling.waited / .milliseconds(1)).rounded()))
    settlingFrames = UInt32(clamping: settling.frames)
  }

  init(_ progress: PhotoProgress) {
    switch progress {
    case .willBegin(let resolved): self.init(stage: .willBegin, resolved: ResolvedPhotoSettings(resolved))
    case .willCapture: self.init(stage: .willCapture)
    case .preview(let picture):
      self.init(
        stage: .preview, info: FrameInfo(picture.description, clock: clock), resource: .preview,
        data: picture.payload)
    case .didCapture(let frame): self.init(stage: .didCapture, info: FrameInfo(frame, clock: clock))
    }
  }
}

extension PhotoResource {
  fileprivate init(_ file: PhotoFile) {
    self.init(file.type)
    reencoded = file.isReencoded
    orientationMethod = OrientationMethod(file.orientationMethod)
  }
}
