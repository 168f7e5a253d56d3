import CaptureEngine
import CaptureModel
import CaptureSystem
import CaptureWire

import class CaptureEngine.Device

/// Brackets and bursts.
extension PhotosEndpoint {
  private typealias Progress = @Sendable (PhotoProgress) -> Void
  private typealias Deliver = @Sendable (SequencePhoto) throws(CaptureError) -> Void

  /// Returns the work that takes a bracket.
  func bracket(
    _ steps: [CaptureModel.BracketStep], _ request: CapturePhotoRequest, _ storage: PhotoStorage,
    _ context: CallContext
  ) async throws -> PhotoWork {
    let wanted = try request.model()
    let (device, _) = try await source(of: request, context)
    return photoWork(with: storage) { progress, deliver in
      try await engine.seen(by: context).withLease(on: device, occupation: "taking a bracket") {
        // The session may have changed while the call waited.
        let (device, input) = try await source(of: request, context)
        try await device.run { device in
          try await device.photos.captureBracket(
            steps, wanted, of: input, on: device, progress: progress, deliver: deliver)
        }
      }
    }
  }

  /// Returns the work that takes a burst.
  func burst(
    _ count: Int, _ request: CapturePhotoRequest, requested: UInt64, _ storage: PhotoStorage,
    _ context: CallContext
  ) async throws -> PhotoWork {
    let wanted = try request.model()
    let (device, input) = try await source(of: request, context)
    return photoWork(with: storage) { progress, deliver in
      let takeBurst = { () async throws in
        try await device.run { device in
          try await device.photos.captureBurst(
            count, wanted, of: input, on: device, requested: requested, progress: progress, deliver: deliver)
        }
      }
      guard wanted.fullSize?.interrupts == true else { return try await takeBurst() }
      try await engine.seen(by: context).withLease(on: device, takeBurst)
    }
  }

  /// An item from the camera. The client gets a photo's events only after the photo was stored.
  private enum Taken: Sendable {
    case progress(PhotoProgress)
    case photo(SequencePhoto, UnreadBytes.Room)
  }

  /// Returns the work that takes photos, and stores them in the library if the request says so. The camera waits neither for the library nor for the
  /// client: photos wait here until they are stored, within the bound of ``unread``. After that only their events wait, without the data.
  private func photoWork(
    with storage: PhotoStorage,
    _ takePhotos: @escaping @Sendable (@escaping Progress, @escaping Deliver) async throws -> Void
  ) -> PhotoWork {
    guard storage.isKeeping else {
      return { sendEvents in
        try await takePhotos {
          try? sendEvents([$0.event])
        } _: { taken throws(CaptureError) in
          try sendEvents(storage.events(of: taken))
        }
      }
    }
    return { [unread] sendEvents in
      let (photos, continuation) = AsyncStream.makeStream(of: Taken.self)
      async let taking: Void = {
        defer { continuation.finish() }
        try await takePhotos {
          continuation.yield(.progress($0))
        } _: { taken throws(CaptureError) in
          let room = try unread.room(for: taken.photo)
          try sendEvents.reserve(taken.photo.files.count)
          continuation.yield(.photo(taken, room))
        }
      }()
      for await item in photos {
        switch item {
        // If this event has no room, only this event is lost: the photos behind it have their room already.
        case .progress(let progress): try? sendEvents([progress.event])
        case .photo(var taken, let room):
          taken.photo = try await storage.store(taken.photo, as: taken.member)
          let readBack = storage.mode == .also ? taken.photo.largestFile : 0
          try sendEvents(storage.events(of: taken), in: StoredPhotoRoom(room: room, readBack: readBack))
        }
      }
      try await taking
    }
  }
}

extension CapturePhotoRequest {
  /// Throws `invalidArgument` for a preview of a bracket or a burst.
  func requireNoPreviewOfSeveral() throws(CaptureError) {
    guard let settings, settings.preview != nil, !settings.bracket.isEmpty || settings.burst > 0 else {
      return
    }
    let several = settings.bracket.isEmpty ? "burst" : "bracket"
    throw CaptureError(
      .invalidArgument,
      "a preview is of one photo, and a \(several) has several; leave out preview or the \(several)",
      .init(.fieldsExclusive, field: "settings.preview"))
  }
}

extension CaptureWire.PhotoSettings {
  /// Throws `invalidArgument` for settings that a photo of a timelapse cannot have: nobody waits for the photo, and each tick takes one photo.
  func requireSingle() throws(CaptureError) {
    let fields = [
      ("bracket", !bracket.isEmpty), ("burst", burst > 0), ("when", when != nil),
      ("preview", preview != nil), ("request_id", !requestID.isEmpty),
    ]
    guard let (field, _) = fields.first(where: \.1) else { return }
    throw CaptureError(
      .invalidArgument,
      "each photo of a timelapse is one alone, of the next frame, and has no preview and no id; leave out \(field)",
      .init(.fieldsExclusive, field: "settings.\(field)"))
  }
}
