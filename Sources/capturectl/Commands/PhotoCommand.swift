import CaptureClient
import CaptureModel

@Sendable func takePhoto(_ context: CommandContext) async throws {
  let arguments = context.arguments
  let target = arguments[Options.photoOutput] ?? .standardOutput
  try target.requireNoTerminal()
  let writer = PictureWriter(target)
  try await writer.open()
  let task = Task {
    let photo = try await context.node.capturePhoto(
      of: context.source,
      VideoRequest(size: arguments[Options.size], quality: arguments[Options.quality]),
      timeout: arguments[Options.timeout])
    try await writer.write(photo.payload)
    return photo
  }
  let interrupts = Interrupts { task.cancel() }
  defer { withExtendedLifetime(interrupts) {} }
  let photo: CapturedPhoto
  do {
    photo = try await task.value
    try await writer.finish()
  } catch {
    await writer.discard()
    throw error
  }
  let size = photo.info.size?.model.map { "\($0), " } ?? ""
  var document: [(String, JSON)] = [("bytes", JSON(photo.payload.count)), ("info", JSON(photo.info))]
  if case .file(let path) = target { document.insert(("path", .string(path)), at: 0) }
  let place = if case .file(let path) = target { "\(path): " } else { "" }
  try context.report(
    .object(document), text: "\(place)\(size)\(bytesText(UInt64(photo.payload.count)))\n", besides: target)
}
