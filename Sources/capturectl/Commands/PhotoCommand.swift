import CaptureClient
import CaptureOptions
import Glibc

@Sendable func takePhoto(_ context: CommandContext) async throws {
  let arguments = context.arguments
  var settings = try photoSettings(arguments)
  let sequence = try PhotoSequencePlan(arguments)
  let target = arguments[Options.photoOutput] ?? .standardOutput
  let preview = try previewTarget(arguments)
  // Where only the library gets the photo, there is no file name that could promise a type.
  settings.fileTypes =
    settings.storing == .only
    ? arguments[Options.photoFormat] ?? [.jpeg] : try target.photoTypes(asked: arguments[Options.photoFormat])
  if arguments[Options.photoDryRun] { return try await resolvePhoto(settings, sequence, context) }
  try preview?.requireNoTerminal()
  if settings.storing == .only {
    if let sequence { return try await storePhotos(sequence, settings, context) }
    return try await storePhoto(settings, preview: preview, context)
  }
  guard preview != .standardOutput || target != .standardOutput else {
    throw Failure("standard output takes one file; name one with --output, or with --preview")
  }
  try target.requireNoTerminal()
  if let sequence { return try await takePhotos(sequence, settings, into: target, context) }
  let camera = if case .camera(let name) = context.origin { name } else { "camera" }
  let places = try target.places(of: settings.fileTypes)
  let files = PhotoFiles(places, preview: preview)
  let besides = preview == .standardOutput ? .standardOutput : target
  try await files.open()
  let task = Task { [settings] in
    let (photos, failure) = await takePhotoFiles(settings, preview: files, context)
    guard !photos.isEmpty else { throw failure ?? Failure.noPhoto }
    // A node that is gone is not asked for its clock.
    let captured = failure == nil ? await context.seconds(of: photos[0], in: target) : nil
    let written = await files.write(photos, of: camera, captured: captured)
    if let failure = failure ?? written.failure, written.paths.isEmpty { throw failure }
    return (Array(photos.prefix(written.paths.count)), written.paths, failure ?? written.failure)
  }
  Interrupts.onFirstSignal { task.cancel() }
  do {
    let (photos, paths, failure) = try await task.value
    if let failure { throw reportFiles(writtenBefore: failure, photos, paths, besides, context) }
    try context.report(
      JSON(photos, paths), text: text(of: photos, paths), besides: besides)
  } catch {
    await files.discard()
    throw error
  }
}

/// Prints with `--json` the files of a photo that were written before a failure, even if standard output has no reader. Returns the error to throw:
/// the failure, and which files are complete.
private func reportFiles(
  writtenBefore failure: any Error, _ photos: [CapturedPhoto], _ paths: [String?], _ besides: OutputTarget,
  _ context: CommandContext
) -> any Error {
  if context.arguments[Options.json] {
    try? context.report(
      JSON(photos, paths).adding(["error": explain(failure)]), text: "", besides: besides)
  }
  let there = paths.compactMap { $0.map { "'\($0)'" } }
  guard !there.isEmpty else { return failure }
  let text = there.count == 1 ? "\(there[0]) is" : "\(there.joined(separator: ", ")) are"
  return CutShort(failure, "\(text) complete.")
}

/// The line of a photo that only the node has.
func storedText(_ photos: [CapturedPhoto], _ asset: String) -> String {
  let types = photos.count == 1 ? "" : " (\(photos.map(\.fileType.rawValue).joined(separator: ", ")))"
  return "\(asset)\(types): \(photos[0].info.size)\(photos[0].detailText(namesAsset: false))\n"
}

/// A line for each file; the first says how the photo was taken.
func text(of photos: [CapturedPhoto], _ paths: [String?]) -> String {
  var lines = zip(photos, paths).map { photo, path in
    let size = photo.info.size.area == 0 ? "" : "\(photo.info.size), "
    return "\(path.map { "\($0): " } ?? "")\(size)\(bytesText(UInt64(photo.payload.count)))"
  }
  lines[0] += photos[0].detailText()
  return lines.map { "\($0)\n" }.joined()
}

/// Takes a photo that the node keeps, and of which only a preview is sent here.
private func storePhoto(
  _ settings: PhotoSettings, preview: OutputTarget?, _ context: CommandContext
) async throws {
  let files = PhotoFiles([], preview: preview)
  try await files.open()
  let task = Task {
    let (photos, failure) = await takePhotoFiles(settings, preview: files, context)
    if let failure { throw failure }
    return photos
  }
  Interrupts.onFirstSignal { task.cancel() }
  do {
    let photos = try await task.value
    guard let asset = photos[0].asset else { throw Failure.keptNothing }
    try context.report(JSON(photos, []), text: storedText(photos, asset), besides: preview)
  } catch {
    await files.discard()
    throw error
  }
}

/// Takes a photo, and writes its preview. Returns a photo for each file that came, and why others did not.
func takePhotoFiles(
  _ settings: PhotoSettings, preview files: PhotoFiles? = nil, _ context: CommandContext
) async -> (photos: [CapturedPhoto], failure: (any Error)?) {
  var photos: [CapturedPhoto] = []
  let stages = PhotoOutput(context.origin, of: context.node).stages(
    of: settings, timeout: context.givenTimeout)
  do {
    for try await stage in stages {
      switch stage {
      case .preview(let preview): try await files?.write(preview: preview)
      case .photo(let photo): photos.append(photo)
      case .willBegin, .willCapture, .didCapture: break
      }
    }
    return (photos, nil)
  } catch {
    return (photos, error)
  }
}

extension Failure {
  static let noPhoto = Failure("the node ended the photo without a file")

  /// `photo --store`, on a node that knows no library.
  static let keptNothing = Failure(
    "the node is too old to have a library: it took the photo, and has not kept it")
}

/// The place of a photo's preview; `nil`: there is none.
private func previewTarget(_ arguments: Arguments) throws(Failure) -> OutputTarget? {
  guard let path = arguments[Options.preview] else { return nil }
  let target = OutputTarget(ofOneFile: path)
  try target.requireName(of: "a preview", as: .jpeg)
  return target
}

func photoSettings(_ arguments: Arguments) throws(Misuse) -> PhotoSettings {
  let picture = VideoRequest().withPictureOptions(of: arguments)
  var settings = PhotoSettings(
    size: picture.size, gravity: picture.gravity, quality: arguments[Options.photoQuality],
    flash: arguments[Options.photoFlash].flatMap(LightMode.init(word:)), settling: arguments[Options.settle])
  settings.transform = picture.transform
  if picture.transform.orientation != .upright || picture.transform.isMirrored
    || arguments[Options.orientation] != nil
  {
    // This orientation replaces that of a session's connection.
    settings.transform = PictureTransform(crop: picture.transform.crop)
    settings.orientation = PictureTransform(
      orientation: picture.transform.orientation, isMirrored: picture.transform.isMirrored)
  }
  settings.orientationMethod = arguments[Options.orientationMethod].flatMap(OrientationMethod.init(rawValue:))
  settings.fullSize = arguments[Options.fullSize].flatMap(FullSize.init(rawValue:))
  if arguments[Options.thumbnail] { settings.thumbnail = PhotoRequest.largestThumbnail }
  if arguments[Options.preview] != nil {
    settings.preview = arguments[Options.previewSize] ?? FrameSize(width: 640, height: 480)
  } else if arguments.isGiven(Options.previewSize) {
    throw Misuse("--preview-size is for --preview, which names the file")
  }
  settings.isChecked = !arguments[Options.unchecked]
  settings.allowsNoSignal = arguments[Options.allowNoSignal]
  settings.hasMetadata = !arguments[Options.noMetadata]
  settings.shot = arguments[Options.shot]
  settings.time = arguments[Options.photoTime] ?? .next
  settings.requestID = arguments[Options.requestID]
  if arguments[Options.store] { settings.storing = arguments.isGiven(Options.photoOutput) ? .also : .only }
  for (tag, text) in arguments.all(Options.tag) {
    guard settings.tags.updateValue(text, forKey: tag) == nil else {
      throw Misuse("--tag names \(tag.rawValue) twice; a photo has one text of each name")
    }
  }
  if !settings.hasMetadata, settings.shot != nil {
    throw Misuse("--shot and --no-metadata exclude each other")
  }
  if !settings.hasMetadata, !settings.tags.isEmpty {
    throw Misuse("--tag and --no-metadata exclude each other")
  }
  return settings
}

extension CommandContext {
  /// When the photo was captured, in whole seconds of `CLOCK_REALTIME`; `nil` where that cannot be known, and where no name needs it: asking for the
  /// node's clock takes time.
  func seconds(of photo: CapturedPhoto, in target: OutputTarget) async -> time_t? {
    guard case .timed = target, photo.info.timestamp.clock == .monotonic,
      let captured = try? await node.localTime(ofNode: photo.info.timestamp.nanoseconds)
    else { return nil }
    return RealTime.seconds(monotonic: captured)
  }
}

extension JSON {
  /// The files of a photo. `paths`: where they are (`nil`: standard output); empty where no file was sent here.
  init(_ photos: [CapturedPhoto], _ paths: [String?]) {
    let photo = photos[0]
    let about: JSON = [
      "type": photo.fileType.rawValue, "bytes": photo.payload.count, "info": photo.info,
      "flash": photo.flash?.word, "settled": photo.settling, "metadata": photo.metadata, "asset": photo.asset,
      "bracket": photo.bracket, "nearness": photo.nearness,
      "files": zip(photos, paths).map { JSON(file: $0, at: $1) },
    ]
    self = JSON(path: paths.first ?? nil).adding(about)
  }

  /// One of a photo's files.
  private init(file photo: CapturedPhoto, at path: String?) {
    self = JSON(path: path).adding([
      "type": photo.fileType.rawValue, "media_type": photo.fileType.mediaType, "bytes": photo.payload.count,
      "info": photo.info, "reencoded": photo.isReencoded,
      "orientation_method": photo.orientationMethod?.rawValue,
    ])
  }

  private init(path: String?) { self = path.map { ["path": $0] } ?? [:] }
}

extension PhotoSettling: JSONValue {
  var json: JSON {
    [
      "provenance": provenance.word, "seconds": JSON.number(waited / .seconds(1), decimals: 3),
      "frames": frames,
    ]
  }
}

extension CapturedPhoto {
  /// How the photo was taken, and, if `namesAsset`, the name under which the node keeps it.
  fileprivate func detailText(namesAsset: Bool = true) -> String {
    let light = flash.map { ", flash \($0.word)" } ?? ""
    return settlingText + light + bracketText + nearnessText + (namesAsset ? assetText : "")
  }

  /// ", kept as …"; nothing where it was not to be kept.
  var assetText: String { asset.map { ", kept as \($0)" } ?? "" }

  /// ", settled after 0.4 s (observed)"; nothing where the photo did not wait.
  var settlingText: String {
    guard let settling, settling.frames > 0 else { return "" }
    let tenths = (settling.waited / .milliseconds(100)).rounded() / 10
    return ", settled after \(tenths) s (\(settling.provenance.word))"
  }
}
