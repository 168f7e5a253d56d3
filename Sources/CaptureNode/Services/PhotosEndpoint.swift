import CaptureEngine
import CaptureLibrary
import CaptureModel
import CaptureSystem
import CaptureWire

import class CaptureEngine.Device

/// `capture.v1.Photos`: stills.
struct PhotosEndpoint: PhotosService {
  let engine: ServedEngine
  let unread: UnreadBytes
  let kept: RequestedPhotos
  let library: NodeLibrary
  let viewers: Viewers

  func capture(
    _ request: CapturePhotoRequest, context: CallContext, responses: ResponseWriter<PhotoEvent>
  ) async throws {
    let requested = MonotonicClock.now()
    // `answer` refuses a request that names no camera.
    guard !request.dryRun, let camera = try? await source(of: request, context).device.id else {
      return try await answer(request, requested: requested, context: context, responses: responses)
    }
    try await viewers.note(context, taking: .photo, of: camera) {
      try await answer(request, requested: requested, context: context, responses: responses)
    }
  }

  /// The camera from which a request wants photos, and the input of the session's photo output; `nil`: the request names no session, but the camera
  /// itself.
  func source(of request: CapturePhotoRequest, _ context: CallContext) async throws -> (
    device: Device, input: PhotoInput?
  ) {
    let seen = engine.seen(by: context)
    guard try request.isOfSession() else { return (try seen.device(request.device), nil) }
    let input = try await seen.session(request.session).photoInput(output: request.output)
    return (input.device, input)
  }

  private func answer(
    _ request: CapturePhotoRequest, requested: UInt64, context: CallContext,
    responses: ResponseWriter<PhotoEvent>
  ) async throws {
    let wanted = try request.model()
    let time = try request.photoTime(bootID: MonotonicClock.bootID)
    let (steps, burst) = (try request.bracketSteps(), try request.burst())
    try request.requireNoPreviewOfSeveral()
    do {
      let storage = try PhotoStorage(for: request.settings, library, context)
      if request.dryRun {
        try await storage.requireRoom()
        let (device, input) = try await source(of: request, context)
        let permitted = context.permitted(wanted, of: device.id)
        let resolved = try await device.run {
          try await $0.photos.resolve(permitted, at: time, bracket: steps, burst: burst, of: input, on: $0)
        }
        return try await responses.send(PhotoEvent(resolved))
      }
      let asked = RequestedPhoto.Asked(
        photo: wanted, time: time, bracket: steps, burst: burst, store: storage.mode)
      let take =
        if !steps.isEmpty {
          try await bracket(steps, request, storage, context)
        } else if let burst {
          try await self.burst(burst, request, requested: requested, storage, context)
        } else {
          try await single(request, at: time, requested: requested, storage, context)
        }
      // A request that comes again needs no room in the library: its own photo may have taken the last.
      let work: PhotoWork = { sendEvents in
        try await storage.requireRoom()
        try await take(sendEvents)
      }
      if let id = wanted.id {
        let key = try await key(of: request, id, context)
        try await takeOrResend(key, asked, storage, to: responses, work)
      } else {
        try await takeWithinCall(storage, to: responses, work)
      }
    } catch let error as CaptureError {
      throw error.ofRendition(at: CapturePhotoRequest.renditionPath)
    }
  }

  /// Takes photos, which are cancelled when their call ends, and sends their events. Photos wait here until the client reads them, as long as there
  /// is room.
  private func takeWithinCall(
    _ storage: PhotoStorage, to responses: ResponseWriter<PhotoEvent>, _ work: @escaping PhotoWork
  ) async throws {
    // A separate task sends the events: a client that does not read them must not keep the camera from others.
    let (outgoing, continuation) = AsyncStream.makeStream(
      of: (events: [PhotoEvent], rooms: [UnreadBytes.Room?]).self)
    let readBack = ReadBackRoom()
    async let taking: Void = {
      defer { continuation.finish() }
      let send = SendPhotoEvents { _ in
      } send: { [unread] events, stored throws(CaptureError) in
        guard let stored else {
          let room = try unread.room(for: events)
          continuation.yield((events, [room]))
          return
        }
        let reading = readBack.take(stored.readBack, of: stored.room)
        stored.room.shrink(to: events.unreadBytes)
        continuation.yield((events, [stored.room, reading]))
      }
      try await work(send)
    }()
    for await (events, rooms) in outgoing {
      for event in events { try await responses.send(storage.whole(event)) }
      withExtendedLifetime(rooms) {}
    }
    try await taking
  }

  /// Takes photos that continue when their call ends, or finds the photos that the same request has asked for before. Sends their past events and
  /// those to come.
  private func takeOrResend(
    _ key: RequestedPhotos.Key, _ asked: RequestedPhoto.Asked, _ storage: PhotoStorage,
    to responses: ResponseWriter<PhotoEvent>, _ work: @escaping PhotoWork
  ) async throws {
    // This keeps only the stream of events, and not the photo, so that events that were sent, and that are not kept for a retry, are freed.
    let events = try kept.photo(key, asked, work: work).follow { [unread] events throws(CaptureError) in
      try unread.room(toResend: events)
    }
    for try await (event, room) in events {
      guard let stored = try await storage.file(of: event) else {
        try await responses.send(event)
        withExtendedLifetime(room) {}
        continue
      }
      let roomToRead = try unread.room(for: Int(stored.resource.bytes), toResend: event)
      var whole = event
      whole.data = try await stored.whole()
      try await responses.send(whole)
      withExtendedLifetime(roomToRead) {}
    }
    try Task.checkCancellation()
  }

  private func key(
    of request: CapturePhotoRequest, _ id: String, _ context: CallContext
  ) async throws -> RequestedPhotos.Key {
    let isOfSession = try request.isOfSession()
    let origin =
      isOfSession
      ? "session \(request.session)/\(request.output)"
      : try engine.seen(by: context).device(request.device).id.rawValue
    return RequestedPhotos.Key(client: context.owner, origin: origin, id: id)
  }

  /// Returns the work that takes one photo. If the photo may interrupt the stream of other clients, it is taken under the camera's lease, or while no
  /// other client changes the camera.
  private func single(
    _ request: CapturePhotoRequest, at time: PhotoTime, requested: UInt64, _ storage: PhotoStorage,
    _ context: CallContext
  ) async throws -> PhotoWork {
    let wanted = try request.model()
    let (device, _) = try await source(of: request, context)
    return { [unread] sendEvents in
      let takePhoto = { () async throws -> Photo in
        // The session may have changed since the request came.
        let (device, input) = try await source(of: request, context)
        let permitted = context.permitted(wanted, of: device.id)
        return try await device.run { device in
          try await device.photos.capture(permitted, at: time, of: input, on: device, requested: requested) {
            try? sendEvents([$0.event])
          }
        }
      }
      let photo =
        wanted.fullSize?.interrupts == true
        ? try await engine.seen(by: context).withLease(on: device, takePhoto) : try await takePhoto()
      guard storage.isKeeping else { return try sendEvents(storage.events(of: photo)) }
      // Until the library has the photo, it counts as unread.
      let room = try unread.room(for: photo)
      let events = storage.events(of: try await storage.store(photo))
      try sendEvents(events, in: StoredPhotoRoom(room: room))
    }
  }
}

extension CallContext {
  /// The photo as the caller may take it: if the caller may not control the camera, the flash is off, whatever the camera's flash mode is.
  fileprivate func permitted(_ wanted: PhotoRequest, of camera: CameraID) -> PhotoRequest {
    let isControlled = caller.withCameras(for: .control, in: .video)?.cameras.contains(camera) == true
    guard !isControlled else { return wanted }
    var wanted = wanted
    wanted.frame.flash = .off
    return wanted
  }
}

private let clock = UTCClock()

extension PhotoFile {
  func event(of photo: Photo) -> PhotoEvent {
    PhotoEvent(
      picture.description, clock: clock,
      PhotoResource(type, isReencoded: isReencoded, method: orientationMethod), metadata, photo.nearness,
      picture.payload)
  }
}

extension PhotoProgress {
  var event: PhotoEvent {
    switch self {
    case .willBegin(let resolved): PhotoEvent(resolved)
    case .willCapture: .willCapture
    case .didCapture(let frame): PhotoEvent(frame, clock: clock)
    case .preview(let picture): PhotoEvent(preview: picture.description, clock: clock, picture.payload)
    }
  }
}
