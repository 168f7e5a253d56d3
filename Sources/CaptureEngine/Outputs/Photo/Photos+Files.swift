import CaptureImaging
import CaptureModel
import CaptureSystem

/// Makes a photo's files of its frame.
extension Photos {
  /// Makes the files of a frame, one after the other, after a preview for `progress`. Each file is copied or encoded before the client hears of it: a client
  /// that does not read must not keep the camera's buffer.
  ///
  /// Throws `dataLoss` for a JPEG of the camera that is damaged inside, and `failedPrecondition` for one that cannot be turned without loss.
  func files(
    of taken: TakenFrame, _ plan: PhotoPlan, _ notes: PhotoNotes, _ request: VideoRequest, for hub: StreamHub,
    progress: @Sendable (PhotoProgress) -> Void
  ) async throws(CaptureError) -> [PhotoFile] {
    let metadata = metadata(of: taken, request)
    // A decoder hides damage, so the JPEG is checked first. Bytes that are only copied are checked while they are copied.
    let isCopied = plan.preview == nil && plan.files.allSatisfy { $0.isCopied }
    if request.isChecked, !isCopied { try await check(taken, for: hub) }
    if let preview = plan.preview {
      let picture = try await perform(.jpeg(preview), on: taken, notes, for: hub)
      progress(.didCapture(PictureDescription(taken.frame)))
      progress(.preview(picture))
    }
    var files: [PhotoFile] = []
    for file in plan.files {
      files.append(
        try await makeFile(file, of: taken, notes, metadata, request, thumbnail: plan.thumbnail, for: hub))
    }
    if plan.preview == nil { progress(.didCapture(PictureDescription(taken.frame))) }
    return files
  }

  private func makeFile(
    _ file: PhotoPlan.File, of taken: TakenFrame, _ notes: PhotoNotes, _ metadata: PhotoMetadata?,
    _ request: VideoRequest, thumbnail: FrameSize?, for hub: StreamHub
  ) async throws(CaptureError) -> PhotoFile {
    let taken = file.type == .dng ? taken.whole : taken
    var metadata = metadata
    metadata?.display = file.display
    var small: [UInt8]?
    if let thumbnail, metadata != nil, file.type != .raw {
      small = try await perform(.jpeg(file.small(in: thumbnail)), on: taken, notes, for: hub).payload.bytes
    }
    let metadataToWrite = metadata.map { WrittenMetadata(metadata: $0, thumbnail: small) }
    switch file.work {
    case .untouched:
      let taken = taken.asItComes(context.camera.imaging)
      let picture =
        taken.zoom.isIdentity
        ? try await copy(of: taken, notes, isChecked: request.isChecked, for: hub)
        : try await perform(.asItComes(quality: JPEGSettings.photoQuality), on: taken, notes, for: hub)
      let isReencoded = !taken.zoom.isIdentity && taken.frame.format.pixelFormat.isJPEG
      return await self.file(file, of: picture, with: metadataToWrite, isReencoded, file.reportedFlag)
    case .picture(let work):
      let (work, isReencoded, method) = try turning(work, file, on: taken)
      let picture = try await perform(work, on: taken, notes, for: hub)
      return await self.file(file, of: picture, with: metadataToWrite, isReencoded, method)
    case .png(let settings):
      let pixels = try await perform(.pixels(settings), on: taken, notes, for: hub)
      return try await png(of: pixels, metadataToWrite, file)
    case .dng:
      return try await dng(of: taken, metadataToWrite, notes, file)
    }
  }

  /// Tells how a JPEG is turned, and whether the camera's own JPEG is encoded again for it. Throws `failedPrecondition` where it was to be turned without loss,
  /// and this frame's blocks do not allow that.
  private func turning(
    _ work: PictureWork, _ file: PhotoPlan.File, on taken: TakenFrame
  ) throws(CaptureError) -> (PictureWork, isReencoded: Bool, OrientationMethod?) {
    let format = taken.frame.format
    guard case .jpeg(let settings) = work, format.pixelFormat.isJPEG else {
      return (work, false, file.methodOnFrames(of: format.pixelFormat))
    }
    let transform = taken.zoom.then(settings.transform)
    let isTurned = settings.transform.orientation != .upright || settings.transform.isMirrored
    var isLossless = settings.isLosslessPreferred && settings.size == transform.size(of: format.size)
    if isLossless {
      isLossless = try JPEGEncoder.canTurnWithoutLoss(
        taken.frame.payload, size: format.size, transform)
    }
    if file.method == .lossless, isTurned, !isLossless {
      throw CaptureError(
        .failedPrecondition,
        "the JPEG of \(context.camera.name), \(format.size), cannot be turned so without loss: an edge that has to move is not that of a block; "
          + "take 'encoded' or 'flag', or another size",
        .init(
          .valueNotPossible, field: "settings.orientation_method", asked: .text("lossless"),
          possible: ["encoded", "flag"]))
    }
    let method: OrientationMethod? = isTurned ? isLossless ? .lossless : .encoded : file.reportedFlag
    return (work, !isLossless, method)
  }

  /// Decodes a frame of a camera that sends JPEG. Throws `dataLoss` if it is damaged inside.
  func check(_ taken: TakenFrame, for hub: StreamHub) async throws(CaptureError) {
    guard taken.frame.format.pixelFormat.isJPEG else { return }
    let imaging = context.camera.imaging
    let damage = await workers.perform(for: context.camera.id) { _ in taken.damage(imaging) }
    try requireWhole(taken, damage, for: hub)
  }

  private func copy(
    of taken: TakenFrame, _ notes: PhotoNotes, isChecked: Bool, for hub: StreamHub
  ) async throws(CaptureError) -> Picture {
    let (pool, imaging) = (workers.pool, context.camera.imaging)
    let (copy, damage) = await workers.perform(for: context.camera.id) { _ in
      let copy = taken.copied(into: pool)
      return (copy, isChecked ? copy.damage(imaging) : nil)
    }
    try requireWhole(copy, damage, for: hub)
    return Picture(copy, PictureDescription(copy.frame), notes: notes)
  }

  private func requireWhole(_ taken: TakenFrame, _ damage: String?, for hub: StreamHub) throws(CaptureError) {
    guard let damage else { return }
    hub.noteDamage(taken.moment.ordinal, damage)
    throw CaptureError(.dataLoss, damage, .init(.damagedPicture))
  }

  private func png(
    of pixels: Picture, _ written: WrittenMetadata?, _ file: PhotoPlan.File
  ) async throws(CaptureError) -> PhotoFile {
    let pool = workers.pool
    let png = try await workers.perform(for: context.camera.id) { _ throws(CaptureError) in
      try PNGFile.write(
        RawPicture(payload: pixels.payload, planes: pixels.description.planes), of: pixels.description,
        metadata: written?.metadata, thumbnail: written?.thumbnail, software: Self.software, into: pool)
    }
    return PhotoFile(
      type: .png, picture: pixels.with(png, planes: []), metadata: written?.metadata,
      orientationMethod: file.methodOnFrames(of: pixels.description.source.pixelFormat))
  }

  private func dng(
    of taken: TakenFrame, _ written: WrittenMetadata?, _ notes: PhotoNotes, _ file: PhotoPlan.File
  ) async throws(CaptureError) -> PhotoFile {
    let (pool, sensor, model) = (workers.pool, origin.sensor, context.camera.name)
    let picture = Picture(taken, PictureDescription(taken.frame), notes: notes)
    let dng = try await workers.perform(for: context.camera.id) { _ throws(CaptureError) in
      try DNGFile.write(
        taken.frame, of: picture.description, metadata: written?.metadata, thumbnail: written?.thumbnail,
        model: model, sensor: sensor, software: Self.software, into: pool)
    }
    return PhotoFile(
      type: .dng, picture: picture.with(dng, planes: []), metadata: written?.metadata,
      orientationMethod: file.reportedFlag)
  }

  /// Has a worker make a picture.
  private func perform(
    _ work: PictureWork, on taken: TakenFrame, _ notes: PhotoNotes, for hub: StreamHub
  ) async throws(CaptureError) -> Picture {
    let pool = workers.pool
    let result = await workers(for: taken).perform(for: context.camera.id) { encoder in
      work.perform(on: taken, notes: notes, with: encoder(), into: pool)
    }
    hub.noteEncode(result, of: taken.moment.ordinal)
    return try result.get()
  }

  /// The metadata and the thumbnail that a file gets.
  private struct WrittenMetadata: Sendable {
    var metadata: PhotoMetadata
    var thumbnail: [UInt8]?
  }

  /// Makes a file of a picture. A JPEG gets the metadata, and keeps its pixels as they are. Bare bytes of a camera have no place for metadata.
  private func file(
    _ file: PhotoPlan.File, of photo: Picture, with written: WrittenMetadata?, _ isReencoded: Bool,
    _ method: OrientationMethod?
  ) async -> PhotoFile {
    var made = PhotoFile(
      type: file.type, picture: photo, metadata: nil, isReencoded: isReencoded, orientationMethod: method)
    guard let written, file.type == .jpeg else { return made }
    let pool = workers.pool
    let payload = await workers.perform(for: context.camera.id) { _ in
      JPEGMetadata.writing(
        written.metadata, of: photo.description, thumbnail: written.thumbnail, software: Self.software,
        into: photo.payload, pool: pool)
    }
    guard let payload else { return made }
    (made.picture, made.metadata) = (photo.with(payload), written.metadata)
    return made
  }

  /// The program and its version, for EXIF.
  private static let software = "capture-node \(Release.version)"
}

extension TakenFrame {
  /// Why a JPEG of the camera is damaged inside; `nil`: it is whole, or no JPEG.
  fileprivate func damage(_ imaging: Imaging) -> String? {
    frame.format.pixelFormat.isJPEG ? imaging.damage(frame.payload, frame.format.size) : nil
  }
}

extension PhotoPlan.File {
  fileprivate var isCopied: Bool { if case .untouched = work { true } else { false } }

  /// `flag` if a viewer turns the picture; `nil`: nobody turns it.
  fileprivate var reportedFlag: OrientationMethod? {
    display.orientation == .upright && !display.isMirrored ? nil : .flag
  }
}
