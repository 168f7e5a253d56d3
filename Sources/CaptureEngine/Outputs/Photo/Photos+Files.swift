import CaptureImaging
import CaptureModel
import CaptureSystem

/// Makes a photo's files of its frame.
extension Photos {
  /// Makes the files of a frame, one after the other, after a preview for `progress`. Each file is copied or encoded before the client hears of it: a
  /// client that does not read must not keep the camera's buffer.
  ///
  /// The number of a camera's photos that are made at a time is at most the number of workers that may do long work, so that few photos wait half
  /// made. On a machine with two processors, that is one photo while there are renditions. It takes turns with the camera's renditions as if it were
  /// one of them.
  ///
  /// Throws `dataLoss` for a JPEG of the camera that is damaged inside, `failedPrecondition` for one that cannot be turned without loss, and
  /// `unavailable` for a frame that came while there was no signal. A task that is cancelled makes no further file.
  func files(
    of frame: PhotoFrame, _ plan: PhotoPlan, _ notes: PhotoNotes, _ request: VideoRequest, for hub: StreamHub,
    progress: @Sendable (PhotoProgress) -> Void
  ) async throws(CaptureError) -> [PhotoFile] {
    try inputs.requireSignal(of: frame.taken, for: request)
    try await context.gates.making.enter()
    defer { context.gates.making.leave() }
    let taken = frame.taken
    let source = Source(taken: taken, isLent: frame.isLent, notes: notes, hub: hub)
    let metadata = metadata(of: taken, request)
    // A decoder hides damage, so the JPEG is checked first. Bytes that are only copied are checked while they are copied.
    let isCopied = plan.preview == nil && plan.files.allSatisfy { $0.isCopied }
    if request.isChecked, !isCopied { try await check(taken, for: hub) }
    if let preview = plan.preview {
      let picture = try await perform(.jpeg(preview), on: source) { $0 }
      progress(.didCapture(PictureDescription(taken.frame)))
      progress(.preview(picture))
    }
    var files: [PhotoFile] = []
    for file in plan.files {
      // A worker finishes the file that it has begun. No further file is made if nobody waits for the photo any more.
      try CaptureError.checkCancellation()
      files.append(
        try await makeFile(
          file, of: source, metadata, thumbnail: plan.thumbnail, isChecked: request.isChecked))
    }
    if plan.preview == nil { progress(.didCapture(PictureDescription(taken.frame))) }
    return files
  }

  private func makeFile(
    _ file: PhotoPlan.File, of source: Source, _ metadata: PhotoMetadata?, thumbnail: FrameSize?,
    isChecked: Bool
  ) async throws(CaptureError) -> PhotoFile {
    var source = source
    if file.type == .dng { source.taken = source.taken.whole }
    var metadata = metadata
    metadata?.display = file.display
    var small: [UInt8]?
    if let thumbnail, metadata != nil, file.type != .raw {
      small = try await perform(.jpeg(file.small(in: thumbnail)), on: source) { $0.payload.bytes }
    }
    let written = metadata.map { WrittenMetadata(metadata: $0, thumbnail: small) }
    switch file.work {
    case .untouched:
      source.taken = source.taken.asItComes(context.camera.imaging)
      if source.taken.zoom.isIdentity {
        return try await copy(file, of: source, written, isChecked: isChecked)
      }
      return try await picture(
        .asItComes(quality: JPEGSettings.photoQuality), file, of: source, written,
        isReencoded: source.pixelFormat.isJPEG, file.reportedFlag)
    case .picture(let work):
      let (work, isReencoded, method) = try turning(work, file, on: source.taken)
      return try await picture(work, file, of: source, written, isReencoded: isReencoded, method)
    case .png(let settings): return try await png(settings, file, of: source, written)
    case .dng: return try await dng(file, of: source, written)
    }
  }

  /// Returns how a JPEG is turned, and whether the camera's own JPEG is encoded again for that. Throws `failedPrecondition` if the client wants it
  /// turned without loss, and the blocks of this frame do not allow that.
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
    try await workers.perform(for: context.camera.id) { _ throws(CaptureError) in
      try taken.requireWhole(imaging, for: hub)
    }
  }

  /// Copies the camera's bytes, unless they are a copy already.
  private func copy(
    _ file: PhotoPlan.File, of source: Source, _ written: WrittenMetadata?, isChecked: Bool
  ) async throws(CaptureError) -> PhotoFile {
    let (pool, imaging) = (pool(isForJPEG: source.pixelFormat.isJPEG), context.camera.imaging)
    return try await workers.perform(for: context.camera.id) { _ throws(CaptureError) in
      let copy = source.isLent ? source.taken.copied(into: pool) : source.taken
      if isChecked { try copy.requireWhole(imaging, for: source.hub) }
      let picture = Picture(copy, PictureDescription(copy.frame), notes: source.notes)
      return file.made(picture, with: written, isReencoded: false, file.reportedFlag, pool)
    }
  }

  private func picture(
    _ work: PictureWork, _ file: PhotoPlan.File, of source: Source, _ written: WrittenMetadata?,
    isReencoded: Bool, _ method: OrientationMethod?
  ) async throws(CaptureError) -> PhotoFile {
    try await perform(work, on: source) { [pool = workers.pool] picture in
      file.made(picture, with: written, isReencoded: isReencoded, method, pool)
    }
  }

  private func png(
    _ settings: PixelSettings, _ file: PhotoPlan.File, of source: Source, _ written: WrittenMetadata?
  ) async throws(CaptureError) -> PhotoFile {
    let pool = underWay.pool
    return try await perform(.pixels(settings), on: source) { pixels throws(CaptureError) in
      let png = try PNGFile.write(
        RawPicture(payload: pixels.payload, planes: pixels.description.planes), of: pixels.description,
        metadata: written?.metadata, thumbnail: written?.thumbnail, software: Self.software, into: pool)
      return PhotoFile(
        type: .png, picture: pixels.with(png, planes: []), metadata: written?.metadata,
        orientationMethod: file.methodOnFrames(of: pixels.description.source.pixelFormat))
    }
  }

  private func dng(
    _ file: PhotoPlan.File, of source: Source, _ written: WrittenMetadata?
  ) async throws(CaptureError) -> PhotoFile {
    let (pool, sensor, model, frame) = (underWay.pool, origin.sensor, context.camera.name, source.taken.frame)
    let picture = Picture(source.taken, PictureDescription(frame), notes: source.notes)
    let dng = try await workers.perform(for: context.camera.id, isLong: true) { _ throws(CaptureError) in
      try DNGFile.write(
        frame, of: picture.description, metadata: written?.metadata, thumbnail: written?.thumbnail,
        model: model, sensor: sensor, software: Self.software, into: pool)
    }
    return PhotoFile(
      type: .dng, picture: picture.with(dng, planes: []), metadata: written?.metadata,
      orientationMethod: file.reportedFlag)
  }

  /// Has a worker make a picture and call `finish` with it in the same turn, so that no pixels wait for a second turn.
  private func perform<Made: Sendable>(
    _ work: PictureWork, on source: Source,
    _ finish: @escaping @Sendable (Picture) throws(CaptureError) -> Made
  ) async throws(CaptureError) -> Made {
    let pool = pool(isForJPEG: work.makesJPEG(of: source.pixelFormat))
    return try await workers(for: source.taken).perform(for: context.camera.id, isLong: true) {
      encoder throws(CaptureError) in
      let result = work.perform(on: source.taken, notes: source.notes, with: encoder(), into: pool)
      source.hub.noteEncode(result, of: source.taken.moment.ordinal)
      return try finish(try result.get())
    }
  }

  /// The pool for the memory of a result. The memory of JPEGs is kept for the next ones, like that of renditions. Raw pixels take much memory, which
  /// is freed when no more photos are being taken.
  private func pool(isForJPEG: Bool) -> PayloadPool { isForJPEG ? workers.pool : underWay.pool }

  /// The program and its version, for EXIF.
  fileprivate static let software = "capture-node \(Release.version)"
}

/// The frame of which the files of a photo are made, and how it was taken.
private struct Source: Sendable {
  var taken: TakenFrame
  /// Whether the frame's bytes are the driver's buffer.
  let isLent: Bool
  let notes: PhotoNotes
  let hub: StreamHub

  var pixelFormat: PixelFormat { taken.frame.format.pixelFormat }
}

/// The metadata and the thumbnail that a file gets.
private struct WrittenMetadata: Sendable {
  var metadata: PhotoMetadata
  var thumbnail: [UInt8]?
}

extension TakenFrame {
  /// Throws `dataLoss` if it is a JPEG of the camera that is damaged inside.
  fileprivate func requireWhole(_ imaging: Imaging, for hub: StreamHub) throws(CaptureError) {
    guard frame.format.pixelFormat.isJPEG, let damage = imaging.damage(frame.payload, frame.format.size)
    else {
      return
    }
    hub.noteDamage(moment.ordinal, damage)
    throw CaptureError(.dataLoss, damage, .init(.damagedPicture))
  }
}

extension PictureWork {
  /// Whether it makes a JPEG of frames in a format.
  fileprivate func makesJPEG(of pixelFormat: PixelFormat) -> Bool {
    switch self {
    case .jpeg: true
    case .raw, .pixels: false
    case .asItComes: pixelFormat.isJPEG
    }
  }
}

extension PhotoPlan.File {
  /// The file of a picture. A JPEG gets the metadata, and keeps its pixels as they are. Bare bytes of a camera have no place for metadata.
  fileprivate func made(
    _ photo: Picture, with written: WrittenMetadata?, isReencoded: Bool, _ method: OrientationMethod?,
    _ pool: PayloadPool
  ) -> PhotoFile {
    var made = PhotoFile(
      type: type, picture: photo, metadata: nil, isReencoded: isReencoded, orientationMethod: method)
    guard let written, type == .jpeg else { return made }
    let payload = JPEGMetadata.writing(
      written.metadata, of: photo.description, thumbnail: written.thumbnail, software: Photos.software,
      into: photo.payload, pool: pool)
    guard let payload else { return made }
    (made.picture, made.metadata) = (photo.with(payload), written.metadata)
    return made
  }

  fileprivate var isCopied: Bool { if case .untouched = work { true } else { false } }

  /// `flag` if a viewer has to turn or mirror the picture; otherwise `nil`.
  fileprivate var reportedFlag: OrientationMethod? {
    display.orientation == .upright && !display.isMirrored ? nil : .flag
  }
}
