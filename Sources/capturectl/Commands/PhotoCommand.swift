import CaptureClient
import CaptureModel

@Sendable func takePhoto(_ context: CommandContext) async throws {
  let arguments = context.arguments
  let target = arguments[Options.photoOutput] ?? .standardOutput
  try target.requireNoTerminal()
  try target.requireNameForPhoto()
  let writer = PictureWriter(target)
  try await writer.open()
  let task = Task {
    let photo = try await context.node.capturePhoto(
      of: context.source,
      VideoRequest(
        size: arguments[Options.size], quality: arguments[Options.photoQuality],
        isChecked: !arguments[Options.unchecked], allowsNoSignal: arguments[Options.allowNoSignal]),
      timeout: arguments[Options.timeout])
    try await writer.write(photo.payload, age: .zero)
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
    ("flash", flash.map { .string($0) } ?? .null),
  ]
  if let path = files.first { document.insert(("path", .string(path)), at: 0) }
  let place = files.first.map { "\($0): " } ?? ""
  let light = flash.map { ", flash \($0)" } ?? ""
  try context.report(
    .object(document), text: "\(place)\(size)\(bytesText(UInt64(photo.payload.count)))\(light)\n",
    besides: target)
}
