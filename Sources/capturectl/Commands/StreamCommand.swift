import CaptureClient
import CaptureOptions

@Sendable func receiveStream(_ context: CommandContext) async throws {
  let arguments = context.arguments
  let target = arguments[Options.streamOutput]
  try target?.requireNoTerminal()
  let request = videoRequest(arguments)
  // A name that promises JPEGs is right for raw frames where the camera offers JPEG alone. Only the node knows whether it does.
  let needsFormats = request.encoding == .raw && request.pixelFormat == nil && target?.promisesJPEGs == true
  try target?.requireName(
    forFramesOf: request, from: needsFormats ? try await context.node.pixelFormats(of: context.origin) : [])
  try requireOverwritable(target, arguments)
  let writer = target.map {
    PictureWriter($0, isRecording: true, overwrites: arguments[Options.overwrite])
  }
  let recording = StreamRecording(
    node: context.node, origin: context.origin, request: request,
    timeout: arguments[Options.timeout], limit: arguments[Options.count].map(UInt64.init),
    window: window(for: target), writer: writer,
    printFrame: framePrinter(context, besides: target))
  var end: (any Error)?
  do {
    try await recording.run(for: arguments[Options.duration])
    end = await recording.shortfall
  } catch {
    end = error
  }
  var files = WrittenFiles()
  do {
    files = try await writer?.finish(isWhole: end == nil) ?? files
  } catch {
    end = end.map { CutShort($0, "\(error)") } ?? error
  }
  let (statistics, bound) = (await recording.statistics, await recording.rateBound)
  guard let end else {
    let summary = statistics.summary(files)
    if arguments[Options.jsonFrames], !arguments[Options.json] { return Terminal.printError(summary) }
    return try context.report(
      statistics.json(nil, files, bound: bound), text: summary, besides: target)
  }
  if (end as? Failure)?.isQuiet != true, statistics.frames > 0 {
    // Standard output may have no reader any more. That must not hide how the stream ended.
    if arguments[Options.json] {
      try? context.report(
        statistics.json(end, files, bound: bound), text: "", besides: target)
    } else if await recording.shortfall != nil {
      try? context.report(.null, text: statistics.summary(files), besides: target)
    }
  }
  throw files.text == nil ? end : CutShort(end, files.whatIsThere(statistics.frames))
}

/// `nil` without --json-frames.
private func framePrinter(
  _ context: CommandContext, besides target: OutputTarget?
) -> (@Sendable (ReceivedFrame) throws -> Void)? {
  guard context.arguments[Options.jsonFrames] else { return nil }
  return { frame in try context.printLine(JSON(frame), besides: target) }
}

extension WrittenFiles {
  /// The frames that were written, for a person, after a stream was cut.
  fileprivate func whatIsThere(_ frames: UInt64) -> String {
    let has = count == 1 ? "has" : "have"
    let what = frames == 1 ? "the frame that came" : "the \(frames) frames that came"
    return isBeside
      ? "The file that was there before stays; \(text ?? "") \(has) \(what)."
      : "\(text ?? "") \(has) \(what)."
  }
}

private func requireOverwritable(_ target: OutputTarget?, _ arguments: Arguments) throws {
  guard arguments[Options.overwrite] else { return }
  if case .numbered = target { return }
  throw Misuse(
    "--overwrite is only for numbered files, such as --output shots-%06d.jpg. A single file is replaced without it, once the recording is complete; "
      + "files named by time replace none")
}

/// How many frames may be on their way. They are more for a file, which shall have every frame even if this machine is busy for a while; a viewer
/// behind standard output shall have the newest frames.
private func window(for target: OutputTarget?) -> UInt32 {
  target == .standardOutput ? StreamOptions().window : 8
}

private func videoRequest(_ arguments: Arguments) -> VideoRequest {
  var request = (arguments[Options.format] ?? VideoRequest()).withPictureOptions(of: arguments)
  request.rate = arguments[Options.rate]
  request.quality = arguments[Options.quality]
  request.subsampling = arguments[Options.subsampling].map { $0 == "420" ? .s420 : .s422 }
  return request
}
