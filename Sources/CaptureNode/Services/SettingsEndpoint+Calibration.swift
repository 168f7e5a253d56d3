import CaptureEngine
import CaptureModel
import CaptureWire

extension SettingsEndpoint {
  func calibrate(
    _ request: CalibrateRequest, context: CallContext, responses: ResponseWriter<CalibrationEvent>
  ) async throws {
    let device = try engine.seen(by: context).device(request.device)
    // A separate task sends the events: a client that does not read them must not hold up the calibration or those who wait for the camera. There are
    // only a few events for each control.
    let (events, continuation) = AsyncStream.makeStream(of: CalibrationEvent.self)
    async let measuring: Void = {
      defer { continuation.finish() }
      try await engine.seen(by: context).withLease(on: device, occupation: "being calibrated") {
        try await device.run { device in
          try await device.calibration.calibrate(request.controls, on: device, holder: context.holder) {
            continuation.yield(CalibrationEvent($0))
          }
        }
      }
    }()
    for await event in events { try await responses.send(event) }
    try await measuring
  }
}
