import CaptureClient
import CaptureModel
import CaptureOptions
import CaptureSystem

@Sendable func takePhoto(_ context: CommandContext) async throws {
  let arguments = context.arguments
  let target = arguments[Options.photoOutput] ?? .standardOutput
  try target.requireNoTerminal()
  try target.requireNameForPhoto()
  let writer = PictureWriter(target)
  try await writer.open()
  let task = Task {
    let photo = try await context.node.capturePhoto(
      of: context.source, photoRequest(arguments), timeout: arguments[Options.timeout])
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
  let size = photo.info.size?.model.map { "\($0), " } ?? ""
  let flash = photo.flash == .unspecified ? nil : photo.flash.word
  var document: [(String, JSON)] = [
    ("bytes", JSON(photo.payload.count)), ("info", JSON(photo.info)),
    ("flash", flash.map { .string($0) } ?? .null), ("settled", JSON(settlingOf: photo)),
  ]
  if let path = files.first { document.insert(("path", .string(path)), at: 0) }
  let place = files.first.map { "\($0): " } ?? ""
  let light = flash.map { ", flash \($0)" } ?? ""
  try context.report(
    .object(document),
    text: "\(place)\(size)\(bytesText(UInt64(photo.payload.count)))\(photo.settlingText)\(light)\n",
    besides: target)
}

private func photoRequest(_ arguments: Arguments) -> VideoRequest {
  var request = VideoRequest(
    quality: arguments[Options.photoQuality], isChecked: !arguments[Options.unchecked],
    allowsNoSignal: arguments[Options.allowNoSignal], settling: arguments[Options.settle],
    flash: arguments[Options.photoFlash].flatMap { word in
      LightMode.allCases.first { "\($0)" == word }
    })
  request.setPicture(as: arguments)
  return request
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
  fileprivate init(settlingOf photo: CapturedPhoto) {
    guard photo.settled != .unspecified else { self = .null; return }
    self = .object([
      ("provenance", .string(photo.settled.word)),
      ("seconds", .number(photo.settlingTime / .seconds(1), decimals: 3)),
      ("frames", JSON(photo.settlingFrames)),
    ])
  }
}

extension CapturedPhoto {
  /// ", settled after 0.4 s (observed)"; nothing where the photo did not wait.
  var settlingText: String {
    guard settled != .unspecified, settlingFrames > 0 else { return "" }
    let tenths = (settlingTime / .milliseconds(100)).rounded() / 10
    return ", settled after \(tenths) s (\(settled.word))"
  }
}
