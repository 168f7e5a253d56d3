import CaptureClient
import CaptureSystem
import CaptureWire

@Sendable func calibrateCamera(_ context: CommandContext) async throws {
  let arguments = context.arguments
  let events = try await context.node.calibrate(
    arguments.all(Options.measuredControls), of: context.camera)
  var line = ProgressLine()
  for try await event in events {
    guard let result = event.result else {
      line.update("\(event.step) of \(event.steps): \(event.text.printable)", at: MonotonicClock.now())
      continue
    }
    line.clear()
    let isMeasured = result.trials > 0
    try context.print(
      [
        "control": .string(result.control), "id": JSON(result.controlID), "visible": .bool(result.visible),
        "delay_frames": isMeasured ? JSON(result.delayFrames) : .null, "agreeing": JSON(result.agreeing),
        "trials": JSON(result.trials),
      ], text: "\(event.text.printable)\n")
  }
  line.clear()
}
