import CaptureClient
import CaptureSystem

@Sendable func calibrateCamera(_ context: CommandContext) async throws {
  let arguments = context.arguments
  let events = context.camera.calibrate(arguments.all(Options.measuredControls))
  var line = ProgressLine()
  for try await event in events {
    guard let result = event.result else {
      line.update("\(event.step) of \(event.steps): \(event.text.printable)", at: MonotonicClock.now())
      continue
    }
    line.clear()
    try context.print(
      [
        "control": .string(result.name), "id": JSON(result.id.rawValue), "visible": .bool(result.isVisible),
        "delay_frames": result.delay.map { JSON($0.frames) } ?? .null,
        "agreeing": JSON(result.delay?.agreeing ?? 0), "trials": JSON(result.delay?.trials ?? 0),
      ], text: "\(event.text.printable)\n")
  }
  line.clear()
}
