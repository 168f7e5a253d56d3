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
        "control": result.name, "id": result.id.rawValue, "visible": result.isVisible,
        "delay_frames": result.delay?.frames, "agreeing": result.delay?.agreeing ?? 0,
        "trials": result.delay?.trials ?? 0,
      ], text: "\(event.text.printable)\n")
  }
  line.clear()
}
