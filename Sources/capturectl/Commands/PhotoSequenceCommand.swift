import CaptureClient
import CaptureOptions
import CaptureSystem
import Glibc

/// Several photos of one command, from its options.
struct PhotoSequencePlan: Sendable {
  enum Kind: Sendable {
    case bracket([BracketStep])
    case burst(Int)
    /// One after the other.
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

  /// Takes the photos. Calls `each` with the files of each photo.
  fileprivate func take(
    _ settings: PhotoSettings, from output: PhotoOutput, timeout: Duration?,
    each: ([CapturedPhoto]) async throws -> Void
  ) async throws {
    let sequence: PhotoSequence
    switch kind {
    case .bracket(let steps): sequence = output.capturePhotos(bracket: steps, settings, timeout: timeout)
    case .burst(let count): sequence = output.capturePhotos(burst: count, settings, timeout: timeout)
    case .count(let count):
      for _ in 0..<count { try await each(try await output.capturePhotoFiles(settings, timeout: timeout)) }
      return
    }
    var files: [CapturedPhoto] = []
    for try await file in sequence {
      files.append(file)
      guard files.count == settings.fileTypes.count else { continue }
      try await each(files)
      files = []
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
  let writers = places.map { PictureWriter($0) }
  if !target.hasPatterns { for writer in writers { try await writer.open() } }
  let scratch = try plan.fuse == nil ? nil : ScratchFolder()
  let task = Task {
    var photos: [JSON] = []
    let arguments = context.arguments
    let output = PhotoOutput(context.origin, of: context.node)
    try await plan.take(settings, from: output, timeout: context.givenTimeout) { files in
      if let scratch { try files[0].write(to: scratch.path("\(photos.count + 1).jpg")) }
      var paths = [String?](repeating: nil, count: files.count)
      if isEachWritten {
        let age = await context.age(of: files[0], in: target)
        if target.hasPatterns {
          paths = try await PhotoFiles(places, preview: nil).write(files, of: camera, age: age)
        } else {
          for (index, file) in files.enumerated() {
            paths[index] = try await writers[index].write(file.payload, age: age)
          }
        }
      }
      if !arguments[Options.json] {
        try context.report(.null, text: text(of: files, paths), besides: target)
      }
      photos.append(JSON(files, paths))
    }
    var fused: String?
    if let fuse = plan.fuse, let scratch {
      let (result, log) = (scratch.path("fused.jpg"), scratch.path("log"))
      try await fuse.fuse((1...photos.count).map { scratch.path("\($0).jpg") }, into: result, log: log)
      fused = try await write(result, to: target, writers[0])
    }
    return (photos, fused)
  }
  Interrupts.call { task.cancel() }
  do {
    let (photos, made) = try await task.value
    var fused = made
    for writer in writers {
      let files = try await writer.finish()
      if plan.fuse != nil, fused == nil { fused = files.first }
    }
    try context.report(
      ["photos": photos, "fused": fused],
      text: plan.fuse == nil ? "" : "\(fused.map { "\($0): " } ?? "")fused from \(photos.count) photos\n",
      besides: target)
  } catch {
    for writer in writers { await writer.discard() }
    throw error
  }
}

/// Takes several photos that the node keeps, and that are not sent here.
func storePhotos(
  _ plan: PhotoSequencePlan, _ settings: PhotoSettings, _ context: CommandContext
) async throws {
  guard plan.fuse == nil else {
    throw Misuse("--fuse needs the photos here; name a file with --output")
  }
  let task = Task {
    var photos: [JSON] = []
    let arguments = context.arguments
    let output = PhotoOutput(context.origin, of: context.node)
    try await plan.take(settings, from: output, timeout: context.givenTimeout) { files in
      guard let asset = files[0].asset else { throw Failure.keptNothing }
      if !arguments[Options.json] { try context.print(.null, text: storedText(files, asset)) }
      photos.append(JSON(files, []))
    }
    return photos
  }
  Interrupts.call { task.cancel() }
  let photos = try await task.value
  if context.arguments[Options.json] {
    try context.print(["photos": photos, "fused": JSON.null], text: "")
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

/// A temporary folder, removed at the end.
private final class ScratchFolder: Sendable {
  private let folder: String

  init() throws(Failure) {
    let place = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(place)/capturectl-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw Failure("cannot make a folder in '\(place)': \(Errno(rawValue: errno))")
    }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    for entry in NumberedName.entries(of: folder) { unlink("\(folder)/\(entry)") }
    rmdir(folder)
  }

  func path(_ name: String) -> String { "\(folder)/\(name)" }
}
