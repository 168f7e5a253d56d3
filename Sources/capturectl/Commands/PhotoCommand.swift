import CaptureClient
import CaptureOptions
import CaptureSystem

@Sendable func takePhoto(_ context: CommandContext) async throws {
  let arguments = context.arguments
  let settings = try photoSettings(arguments)
  let target = arguments[Options.photoOutput] ?? .standardOutput
  try target.requireNoTerminal()
  try target.requireNameForPhoto()
  let writer = PictureWriter(target)
  try await writer.open()
  let task = Task {
    let photo = try await PhotoOutput(context.origin, of: context.node).capturePhoto(
      settings, timeout: arguments[Options.timeout])
    try await writer.write(photo.payload, age: await context.age(of: photo, in: target))
    return photo
  }
  let interrupts = Interrupts { task.cancel() }
  defer { withExtendedLifetime(interrupts) {} }
  let photo: CapturedPhoto
  let files: WrittenFiles
  do {
    photo = try await task.value
    files = try await writer.finish()
  } catch {
    await writer.discard()
    throw error
  }
  let size = photo.info.size.area == 0 ? "" : "\(photo.info.size), "
  let flash = photo.flash?.word
  var document: [(String, JSON)] = [
    ("bytes", JSON(photo.payload.count)), ("info", JSON(photo.info)),
    ("flash", flash.map { .string($0) } ?? .null), ("settled", photo.settling.map { JSON($0) } ?? .null),
    ("metadata", photo.metadata.map { JSON($0) } ?? .null),
  ]
  if let path = files.first { document.insert(("path", .string(path)), at: 0) }
  let place = files.first.map { "\($0): " } ?? ""
  let light = flash.map { ", flash \($0)" } ?? ""
  try context.report(
    .object(document),
    text: "\(place)\(size)\(bytesText(UInt64(photo.payload.count)))\(photo.settlingText)\(light)\n",
    besides: target)
}

private func photoSettings(_ arguments: Arguments) throws(UsageError) -> PhotoSettings {
  let picture = VideoRequest().picture(as: arguments)
  var settings = PhotoSettings(
    size: picture.size, gravity: picture.gravity, quality: arguments[Options.photoQuality],
    flash: arguments[Options.photoFlash].flatMap(LightMode.init(word:)), settling: arguments[Options.settle])
  settings.transform = picture.transform
  settings.isChecked = !arguments[Options.unchecked]
  settings.allowsNoSignal = arguments[Options.allowNoSignal]
  settings.hasMetadata = !arguments[Options.noMetadata]
  for (tag, text) in arguments.all(Options.tag) {
    guard settings.tags.updateValue(text, forKey: tag) == nil else {
      throw UsageError(
        message: "--tag names \(tag.rawValue) twice; a photo has one text of each name",
        command: "capturectl photo")
    }
  }
  if !settings.hasMetadata, !settings.tags.isEmpty {
    throw UsageError(
      message: "--tag and --no-metadata exclude each other", command: "capturectl photo")
  }
  return settings
}

extension CommandContext {
  /// The time since the photo's capture. It is zero where it cannot be known, and where no name needs it: asking for the node's clock takes time.
  fileprivate func age(of photo: CapturedPhoto, in target: OutputTarget) async -> Duration {
    guard case .timed = target, photo.info.timestamp.clock == .monotonic,
      let captured = try? await node.localTime(ofNode: photo.info.timestamp.nanoseconds)
    else { return .zero }
    return .nanoseconds(Int64(bitPattern: MonotonicClock.now() &- captured))
  }
}

extension JSON {
  fileprivate init(_ settling: PhotoSettling) {
    self = [
      "provenance": .string(settling.provenance.word),
      "seconds": .number(settling.waited / .seconds(1), decimals: 3), "frames": JSON(settling.frames),
    ]
  }
}

extension CapturedPhoto {
  /// ", settled after 0.4 s (observed)"; nothing where the photo did not wait.
  var settlingText: String {
    guard let settling, settling.frames > 0 else { return "" }
    let tenths = (settling.waited / .milliseconds(100)).rounded() / 10
    return ", settled after \(tenths) s (\(settling.provenance.word))"
  }
}
