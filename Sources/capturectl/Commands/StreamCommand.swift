import CaptureClient
import CaptureModel
import CaptureOptions
import CaptureWire

@Sendable func receiveStream(_ context: CommandContext) async throws {
  let arguments = context.arguments
  let target = arguments[Options.streamOutput]
  try target?.requireNoTerminal()
  let writer = target.map { PictureWriter($0) }
  let recording = StreamRecording(
    node: context.node, source: context.source, request: videoRequest(arguments),
    timeout: arguments[Options.timeout], limit: arguments[Options.count].map(UInt64.init),
    window: window(for: target), writer: writer)
  do {
    try await recording.run(for: arguments[Options.duration])
    try await writer?.finish()
  } catch {
    await writer?.discard()
    let statistics = await recording.statistics
    if arguments[Options.json], statistics.frames > 0, (error as? Failure)?.isQuiet != true {
      try context.report(statistics.json(error), text: "", besides: target)
    }
    throw error
  }
  let (statistics, shortfall) = await (recording.statistics, recording.shortfall)
  try context.report(statistics.json(shortfall), text: statistics.summary, besides: target)
  if let shortfall { throw shortfall }
}

/// A file shall have every frame, also when this machine gives nobody a turn for a while; a viewer shall have the newest.
private func window(for target: OutputTarget?) -> UInt32 {
  target == .standardOutput ? SubscribeOptions().window : 8
}

private func videoRequest(_ arguments: Arguments) -> VideoRequest {
  var request = arguments[Options.format] ?? VideoRequest()
  request.size = arguments[Options.size]
  request.rate = arguments[Options.rate]
  request.quality = arguments[Options.quality]
  request.subsampling = arguments[Options.subsampling].map { $0 == "420" ? .s420 : .s422 }
  return request
}
