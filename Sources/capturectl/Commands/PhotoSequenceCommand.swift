import CaptureClient
import CaptureOptions
import CaptureSystem

/// Several photos of one command, from its options.
struct PhotoSequencePlan: Sendable {
  enum Kind: Sendable {
    case bracket([BracketStep])
    case burst(Int)
    /// Single photos, one after the other.
    case count(Int)
  }
  let kind: Kind
  let fuse: Enfuse?
  /// Whether all photos are of one stream.
  var isOfOneStream: Bool { if case .count = kind { false } else { true } }

  /// `nil`: the options ask for one photo.
  init?(_ arguments: Arguments) throws {
    let brackets = [
      arguments[Options.bracketBias], arguments[Options.bracketExposure], arguments[Options.bracketLens],
    ].compactMap { $0 }
    let kinds =
      brackets.map { Kind.bracket($0) }
      + [arguments[Options.burst].map { .burst($0) }, arguments[Options.photoCount].map { .count($0) }]
      .compactMap { $0 }
    guard kinds.count < 2 else {
      throw Misuse(
        "--bracket-bias, --bracket-exposure, --bracket-lens, --burst and --count exclude each other")
    }
    if arguments[Options.fuse], brackets.first?.count ?? 0 < 2 {
      throw Misuse("--fuse takes the photos of a bracket: --bracket-bias -1,0,1")
    }
    guard let kind = kinds.first else { return nil }
    self.kind = kind
    var sharesRequestID = false
    if case .count = kind { sharesRequestID = arguments[Options.requestID] != nil }
    if sharesRequestID || arguments[Options.preview] != nil {
      throw Misuse("\(sharesRequestID ? "--request-id" : "--preview") is for one photo")
    }
    fuse = try arguments[Options.fuse] ? Enfuse() : nil
  }

  /// Takes the photos. Calls `each` with the files of each photo. Before an error the last call may have only some of a photo's files.
  fileprivate func take(
    _ settings: PhotoSettings, _ context: CommandContext, each: ([CapturedPhoto]) async throws -> Void
  ) async throws {
    let output = PhotoOutput(context.origin, of: context.node)
    let timeout = context.givenTimeout
    let sequence: PhotoSequence
    switch kind {
    case .bracket(let steps): sequence = output.capturePhotos(bracket: steps, settings, timeout: timeout)
    case .burst(let count): sequence = output.capturePhotos(burst: count, settings, timeout: timeout)
    case .count(let count):
      for _ in 0..<count {
        let (files, failure) = await takePhotoFiles(settings, context)
        if !files.isEmpty { try await each(files) }
        if let failure { throw failure }
      }
      return
    }
    var files: [CapturedPhoto] = []
    var iterator = sequence.makeAsyncIterator()
    while true {
      let next: Result<CapturedPhoto?, CaptureError>
      do throws(CaptureError) { next = .success(try await iterator.next()) } catch { next = .failure(error) }
      if case .success(let file?) = next { files.append(file) }
      let isWhole = files.count == settings.fileTypes.count
      if isWhole || !files.isEmpty && (try? next.get()) == nil {
        try await each(files)
        files = []
      }
      guard try next.get() != nil else { return }
    }
  }
}

/// Takes several photos, writes each, and fuses them where that is asked for.
func takePhotos(
  _ plan: PhotoSequencePlan, _ settings: PhotoSettings, into target: OutputTarget, _ context: CommandContext
) async throws {
  guard plan.fuse == nil || settings.fileTypes == [.jpeg] else {
    throw Misuse("--fuse makes a JPEG of JPEGs")
  }
  let isEachWritten: Bool
  switch target {
  case .numbered: isEachWritten = true
  // With --count each photo of an idle camera starts a stream, so {sequence} would be the same for all.
  case .file(let path) where plan.fuse == nil && plan.isOfOneStream && path.contains("{sequence}"):
    isEachWritten = true
  case .file(let path) where plan.fuse == nil && PictureWriter.isRegular(path):
    throw Failure(
      "'\(path)' would be one file for several photos; give each a number: '\(OutputTarget.numbering(path))'")
  default: isEachWritten = plan.fuse == nil
  }
  guard plan.fuse == nil || !target.hasPatterns else {
    throw Failure("a fused picture is of several frames; name its file without {camera} and {sequence}")
  }
  guard settings.fileTypes.count == 1 || isEachWritten && target != .standardOutput else {
    throw Failure("several photos of several formats need a file each; name them with --output shot-%d")
  }
  let camera = if case .camera(let name) = context.origin { name } else { "camera" }
  let places = try target.places(of: settings.fileTypes)
  let writer = PictureWriter(places)
  if !target.hasPatterns { try await writer.open() }
  let scratch = try plan.fuse == nil ? nil : ScratchFolder()
  let taken = TakenPhotos()
  let task = Task {
    try await plan.take(settings, context) { files in
      let place = taken.count + 1
      if let scratch { try files[0].write(to: scratch.path("\(place).jpg")) }
      var paths = [String?](repeating: nil, count: files.count)
      var failure: Failure?
      let captured = await context.seconds(of: files[0], in: target)
      if isEachWritten {
        if target.hasPatterns {
          (paths, failure) = await PhotoFiles(places, preview: nil).write(
            files, of: camera, captured: captured)
        } else {
          (paths, failure) = await writer.write(files.map(\.payload), captured: captured)
        }
      }
      let there = Array(files.prefix(paths.count))
      if !there.isEmpty {
        taken.add(
          JSON(there, paths), inScratch: scratch != nil && !isEachWritten ? place : nil, captured: captured)
        if !context.arguments[Options.json] {
          try context.report(.null, text: text(of: there, paths), besides: target)
        }
      } else if scratch != nil {
        taken.add(nil, inScratch: place, captured: captured)
      }
      if let failure { throw failure }
    }
    guard let fuse = plan.fuse, let scratch else { return String?.none }
    let (result, log) = (scratch.path("fused.jpg"), scratch.path("log"))
    try await fuse.fuse((1...taken.count).map { scratch.path("\($0).jpg") }, into: result, log: log)
    return try await write(result, to: target, writer)
  }
  Interrupts.onFirstSignal { task.cancel() }
  var fused: String?
  do {
    fused = try await task.value
    let files = try await writer.finish()
    if plan.fuse != nil, fused == nil { fused = files.first }
  } catch {
    await writer.discard()
    if (error as? Failure)?.isQuiet == true { throw error }
    let kept = await taken.keep(from: scratch, beside: target)
    taken.report(error, besides: target, context)
    guard let first = kept.first, let last = kept.last else { throw error }
    throw CutShort(
      error,
      kept.count == 1
        ? "The photo that came is '\(first)'." : "The photos that came are '\(first)' to '\(last)'.")
  }
  let photos = taken.photos
  try context.report(
    ["photos": photos, "fused": fused],
    text: plan.fuse == nil ? "" : "\(fused.map { "\($0): " } ?? "")fused from \(photos.count) photos\n",
    besides: target)
}

/// Takes several photos that the node keeps, and that are not sent here.
func storePhotos(
  _ plan: PhotoSequencePlan, _ settings: PhotoSettings, _ context: CommandContext
) async throws {
  guard plan.fuse == nil else {
    throw Misuse("--fuse needs the photos here; name a file with --output")
  }
  let taken = TakenPhotos()
  let task = Task {
    try await plan.take(settings, context) { files in
      guard let asset = files[0].asset else { throw Failure.keptNothing }
      taken.add(JSON(files, []))
      if !context.arguments[Options.json] { try context.print(.null, text: storedText(files, asset)) }
    }
  }
  Interrupts.onFirstSignal { task.cancel() }
  do {
    try await task.value
  } catch {
    taken.report(error, besides: nil, context)
    throw error
  }
  if context.arguments[Options.json] {
    try context.print(["photos": taken.photos, "fused": JSON.null], text: "")
  }
}

/// Writes the fused picture. Returns its path if it has a file of its own.
private func write(_ result: String, to target: OutputTarget, _ writer: PictureWriter) async throws -> String?
{
  let picture: Payload
  do {
    picture = Payload(copying: try SmallFile.bytes(of: result, upTo: 1 << 30))
  } catch {
    throw Failure("the fused picture cannot be read: \(error)")
  }
  guard case .numbered(let name) = target else { return try await writer.write(picture) }
  let path = "\(name.prefix)fused\(name.suffix)"
  let file = try OutputFile(path: path)
  try file.write(picture)
  try file.finish(durably: true)
  return path
}
