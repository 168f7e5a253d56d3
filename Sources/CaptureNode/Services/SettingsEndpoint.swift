import CaptureEngine
import CaptureModel
import CaptureWire

import class CaptureEngine.Device

/// `capture.v1.Settings`: cameras in physical units.
struct SettingsEndpoint: SettingsService {
  let engine: ServedEngine
  /// The lookups of watches that begin.
  let lookups = CameraLines.ofLookups()
  /// The calls that save profiles. Only one of them at a time uses the camera, so that a client's change waits for no more than one.
  let profileSaves = CameraLines(.profileChangesPerCamera, atOnce: 1, "save profiles of")
  /// The calls that delete profiles. They need no camera, so they do not wait for a call that saves a profile while the camera is busy.
  let profileDeletions = CameraLines(.profileChangesPerCamera, atOnce: 1, "delete profiles of")

  func describe(
    _ request: DescribeSettingsRequest, context: CallContext
  ) async throws -> CaptureWire.SettingsDescription {
    let device = try engine.seen(by: context).device(request.device)
    return .init(device: device.id.rawValue, try await device.run { try await $0.settings.describe() })
  }

  func get(_ request: GetSettingsRequest, context: CallContext) async throws -> CaptureWire.CameraSettings {
    let device = try engine.seen(by: context).device(request.device)
    return .init(device: device.id.rawValue, try await device.run { try await $0.settings.read() })
  }

  nonisolated(nonsending) func set(
    _ request: SetSettingsRequest, context: CallContext
  ) async throws -> SetSettingsResponse {
    guard let change = request.change else {
      throw CaptureError(.invalidArgument, "the change is missing", .init(.valueMissing, field: "change"))
    }
    let settings = try change.model()
    let controls = try change.controls.model("change.controls")
    let device = try engine.seen(by: context).device(request.device)
    let outcome = try await engine.seen(by: context).withLease(on: device) {
      try await device.run {
        try await $0.settings.set(settings, controls: controls, clamping: request.clamp)
      }
    }
    return outcome.message(of: device.id)
  }

  func reset(_ request: ResetSettingsRequest, context: CallContext) async throws -> SetSettingsResponse {
    let device = try engine.seen(by: context).device(request.device)
    return try await engine.seen(by: context).withLease(on: device) {
      try await device.run { try await $0.settings.reset() }
    }.message(of: device.id)
  }

  func awaitChange(_ request: consuming AwaitChangeRequest, context: CallContext) async throws
    -> CaptureWire.AppliedChange
  {
    let (device, change) = (try engine.seen(by: context).device(request.device), request.change)
    _ = consume request
    return AppliedChange(try await device.run { try await $0.settings.awaitChange(change) })
  }

  func watch(
    _ request: consuming WatchSettingsRequest, context: CallContext,
    responses: ResponseWriter<CaptureWire.SettingsEvent>
  ) async throws {
    let device = try engine.seen(by: context).device(request.device)
    let watch = try await watch(of: request.names, on: device)
    _ = consume request
    defer { watch.end() }
    while let news = try await watch.next() {
      try await responses.send(await event(news, for: watch, of: device))
    }
    try Task.checkCancellation()
    throw CaptureError.nodeDraining
  }

  private func watch(of names: [String], on device: Device) async throws -> SettingsWatch {
    try await lookups.run(for: device.id) { try await device.run { try await $0.settings.watch(names) } }
  }

  /// The event with the present values of the settings that are watched.
  private func event(
    _ news: SettingsNews, for watch: SettingsWatch, of device: Device
  ) async -> CaptureWire.SettingsEvent {
    var changed: [String] = []
    var controls: [ControlID] = news.keys.isEmpty ? watch.controls : []
    for key in news.keys {
      switch key {
      case .setting(let setting): changed.append(setting.name)
      case .control(let id): controls.append(id)
      }
    }
    let readings =
      (try? await device.run { [controls] in try await $0.settings.readings(of: controls) }) ?? []
    let (settings, restorations) = await device.run { ($0.settings.latest(), $0.settings.restorations) }
    var event = CaptureModel.SettingsEvent(
      changed: changed.sorted(), settings: settings.map { watch.asked(of: $0) } ?? .init(),
      controls: readings.map { ControlReadout($0.control, value: $0.value) }, change: news.change,
      frame: news.frame, provenance: news.provenance)
    (event.away, event.restorations) = (news.away, restorations)
    return CaptureWire.SettingsEvent(device: device.id.rawValue, event, hasSettings: settings != nil)
  }
}

extension SettingsOutcome {
  func message(of camera: CameraID) -> SetSettingsResponse {
    SetSettingsResponse(
      device: camera.rawValue,
      SettingsResult(change: change, settings: settings, isStreaming: isStreaming, clamped: clamped))
  }
}
