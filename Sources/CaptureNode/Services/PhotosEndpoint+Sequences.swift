import CaptureEngine
import CaptureModel
import CaptureSystem
import CaptureWire

import class CaptureEngine.Device

/// Brackets and bursts.
extension PhotosEndpoint {
  /// What is sent to the client: progress, or a photo with the room of its files among those that wait.
  private enum Outgoing: Sendable {
    case progress(PhotoProgress)
    case photo(SequencePhoto, [UnreadPhotos.Room])
  }
  private typealias Progress = @Sendable (PhotoProgress) -> Void
  private typealias Send = @Sendable (SequencePhoto) throws(CaptureError) -> Void

  func captureBracket(
    _ steps: [CaptureModel.BracketStep], _ request: CapturePhotoRequest, context: CallContext,
    responses: ResponseWriter<PhotoEvent>
  ) async throws {
    let wanted = try request.model()
    let (device, _) = try await source(of: request, context)
    let storage = try await PhotoStorage(request.settings, library, context)
    try await send(responses, storage) { progress, send in
      try await engine.seen(by: context).withLease(on: device, occupation: "taking a bracket") {
        // The session may have changed while the call waited.
        let (device, input) = try await source(of: request, context)
        try await device.run { device in
          try await device.photos.captureBracket(
            steps, wanted, of: input, on: device, progress: progress, deliver: send)
        }
      }
    }
  }

  func captureBurst(
    _ count: Int, _ request: CapturePhotoRequest, requested: UInt64, context: CallContext,
    responses: ResponseWriter<PhotoEvent>
  ) async throws {
    let wanted = try request.model()
    let (device, input) = try await source(of: request, context)
    let storage = try await PhotoStorage(request.settings, library, context)
    try await send(responses, storage) { progress, send in
      let take = { () async throws in
        try await device.run { device in
          try await device.photos.captureBurst(
            count, wanted, of: input, on: device, requested: requested, progress: progress, deliver: send)
        }
      }
      guard wanted.fullSize?.interrupts == true else { return try await take() }
      try await engine.seen(by: context).withLease(on: device, take)
    }
  }

  /// Sends what `take` gives out, and keeps it in the library before that, where this is asked for. The camera waits for neither: photos wait here, and are
  /// bounded by their bytes.
  private func send(
    _ responses: ResponseWriter<PhotoEvent>, _ storage: PhotoStorage,
    of take: @escaping @Sendable (_ progress: @escaping Progress, _ send: @escaping Send) async throws -> Void
  ) async throws {
    let (outgoing, tell) = AsyncStream.makeStream(of: Outgoing.self)
    async let taking: Void = {
      defer { tell.finish() }
      let progress: Progress = { _ = tell.yield(.progress($0)) }
      try await take(progress) { [unread] (taken) throws(CaptureError) in
        var rooms: [UnreadPhotos.Room] = []
        for file in taken.photo.files { rooms.append(try unread.room(for: file.picture.payload)) }
        tell.yield(.photo(taken, rooms))
      }
    }()
    for await item in outgoing {
      switch item {
      case .progress(let progress): try await responses.send(PhotoEvent(progress))
      case .photo(let taken, let rooms):
        let photo = try await storage.kept(taken.photo)
        for file in photo.files {
          var event = storage.event(file, of: photo)
          (event.place, event.bracket) = (
            SequencePlace(taken.place), taken.outcome.map { BracketOutcome($0) }
          )
          try await responses.send(event)
        }
        withExtendedLifetime(rooms) {}
      }
    }
    do { try await taking } catch let error as CaptureError {
      throw error.ofRendition(at: CapturePhotoRequest.renditionPath)
    }
  }
}

extension CapturePhotoRequest {
  /// Throws `invalidArgument` for what is possible with one photo of the next frame only.
  func requireWhole(_ time: PhotoTime) throws(CaptureError) {
    guard let settings else { return }
    func refuse(_ text: String, _ field: String) -> CaptureError {
      CaptureError(.invalidArgument, text, .init(.fieldsExclusive, field: field))
    }
    let several = !settings.bracket.isEmpty ? "bracket" : settings.burst > 0 ? "burst" : nil
    if dryRun, several != nil || time != .next {
      throw refuse(
        "a dry run tells of one photo of the next frame; leave out dry_run or the \(several ?? "moment in when")",
        "dry_run")
    }
    if dryRun, !settings.requestID.isEmpty {
      throw refuse(
        "a dry run takes no photo that could be asked for again; leave out request_id or dry_run",
        "settings.request_id")
    }
    guard let several else { return }
    if !settings.requestID.isEmpty {
      throw refuse(
        "a request_id names one photo, and a \(several) has several; leave out request_id or the \(several)",
        "settings.request_id")
    }
    if settings.preview != nil {
      throw refuse(
        "a preview is of one photo, and a \(several) has several; leave out preview or the \(several)",
        "settings.preview")
    }
  }
}

extension CaptureWire.PhotoSettings {
  /// Throws `invalidArgument` for several photos, and for those of another moment than next.
  func requireSingle() throws(CaptureError) {
    let field = !bracket.isEmpty ? "bracket" : burst > 0 ? "burst" : when != nil ? "when" : nil
    guard let field else { return }
    throw CaptureError(
      .invalidArgument, "each photo of a timelapse is one alone, of the next frame; leave out \(field)",
      .init(.fieldsExclusive, field: "settings.\(field)"))
  }
}
