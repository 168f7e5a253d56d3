import CaptureEngine
import CaptureModel
import CaptureWire

/// `capture.v1.Devices`: cameras, their formats and controls.
struct DevicesEndpoint: DevicesService {
  let engine: ServedEngine
  /// The lookups of calls that read controls.
  let lookups = CameraLines.ofLookups()

  func list(_ request: ListDevicesRequest, context: CallContext) -> ListDevicesResponse {
    let seen = engine.seen(by: context)
    return ListDevicesResponse(
      devices: seen.cameras.map { CaptureWire.Device($0) }, notServed: seen.missing,
      defaultDevice: seen.cameras.defaultCamera?.rawValue ?? "")
  }

  func watch(
    _ request: WatchDevicesRequest, context: CallContext, responses: ResponseWriter<DeviceEvent>
  ) async throws {
    let seen = engine.seen(by: context)
    let watch = try await seen.watch()
    defer { watch.end() }
    while let change = await watch.next() {
      guard let change = seen.visiblePart(of: change) else { continue }
      try await responses.send(DeviceEvent(change))
    }
    try Task.checkCancellation()
    throw CaptureError.nodeDraining
  }

  func formats(_ request: FormatsRequest, context: CallContext) async throws -> FormatsResponse {
    let formats = try await engine.seen(by: context).device(request.device).run {
      try await $0.settings.formats()
    }
    return FormatsResponse(formats: formats.map { .init($0.format, $0.abilities) })
  }

  func controls(_ request: ControlsRequest, context: CallContext) async throws -> ControlsResponse {
    let controls = try await engine.seen(by: context).device(request.device).run {
      try await $0.settings.allControls()
    }
    return ControlsResponse(controls: controls.map { .init($0.control, value: $0.value) })
  }

  func getControls(_ request: GetControlsRequest, context: CallContext) async throws -> GetControlsResponse {
    let device = try engine.seen(by: context).device(request.device)
    let readings = try await lookups.run(for: device.id) {
      try await device.run { try await $0.settings.readings(of: request.names) }
    }
    return GetControlsResponse(readings: readings.map { .init(ControlReadout($0.control, value: $0.value)) })
  }

  nonisolated(nonsending) func setControls(
    _ request: SetControlsRequest, context: CallContext
  ) async throws -> SetControlsResponse {
    let device = try engine.seen(by: context).device(request.device)
    let assignments = try request.assignments.model("assignments")
    let outcome = try await engine.seen(by: context).withLease(on: device) {
      try await device.run {
        try await $0.settings.set(assignments, clamping: request.clamp)
      }
    }
    return SetControlsResponse(
      readings: outcome.readings.map { .init(ControlReadout($0.control, value: $0.value)) },
      change: outcome.change,
      streaming: outcome.isStreaming, clamped: outcome.clamped.map { .init($0) })
  }
}
