import CaptureEngine
import CaptureModel
import CaptureWire

import class CaptureEngine.Device

/// `capture.v1.Settings`: cameras in physical units.
struct SettingsEndpoint: SettingsService {
  let engine: CaptureEngine
  /// Those of watches that begin.
  let lookups = NameLookups()

  func describe(
    _ request: DescribeSettingsRequest, context: CallContext
  ) async throws -> CaptureWire.SettingsDescription {
    let device = try engine.device(request.device)
    return .init(device: device.id.rawValue, try await device.run { try await $0.settings.describe() })
  }

  func get(_ request: GetSettingsRequest, context: CallContext) async throws -> CaptureWire.CameraSettings {
    let device = try engine.device(request.device)
    return .init(device: device.id.rawValue, try await device.run { try await $0.settings.read() })
  }

  nonisolated(nonsending) func set(
    _ request: SetSettingsRequest, context: CallContext
  ) async throws -> SetSettingsResponse {
    guard let change = request.change else {
      throw CaptureError(.invalidArgument, "the change is missing", .init(.valueMissing, field: "change"))
    }
    let settings = try change.model()
    let controls = try NamedAssignment.all(change.controls, in: "change.controls")
    let device = try engine.device(request.device)
    let outcome = try await engine.withLease(on: device, context) {
      try await device.run {
        try await $0.settings.set(settings, controls: controls, clamping: request.clamp)
      }
    }
    return SetSettingsResponse(device.id, outcome)
  }

  func reset(_ request: ResetSettingsRequest, context: CallContext) async throws -> SetSettingsResponse {
    let device = try engine.device(request.device)
    return SetSettingsResponse(
      device.id,
      try await engine.withLease(on: device, context) {
        try await device.run { try await $0.settings.reset() }
      })
  }

  func awaitChange(_ request: AwaitChangeRequest, context: CallContext) async throws
    -> CaptureWire.AppliedChange
  {
    AppliedChange(
      try await engine.device(request.device).run { try await $0.settings.awaitChange(request.change) })
  }

  func watch(
    _ request: WatchSettingsRequest, context: CallContext, responses: ResponseWriter<SettingsEvent>
  ) async throws {
    let device = try engine.device(request.device)
    let watch = try await lookups.count(of: device.id) {
      try await device.run { try await $0.settings.watch(request.names) }
    }
    defer { watch.end() }
    while let news = try await watch.next() {
      try await responses.send(await event(news, for: watch, of: device))
    }
    try Task.checkCancellation()
    throw CaptureError.nodeDraining
  }

  /// The event with the present values of the settings that are watched.
  private func event(
    _ news: SettingsNews, for watch: SettingsWatch, of device: Device
  ) async -> SettingsEvent {
    var changed: [String] = []
    var controls: [ControlID] = news.keys.isEmpty ? watch.controls : []
    for key in news.keys {
      switch key {
      case .setting(let setting): changed.append(setting.rawValue)
      case .control(let id): controls.append(id)
      }
    }
    let readings =
      (try? await device.run { [controls] in try await $0.settings.readings(of: controls) }) ?? []
    return SettingsEvent(
      changed: changed.sorted(),
      settings: await device.run { $0.settings.latest() }.map {
        .init(device: device.id.rawValue, watch.asked(of: $0))
      },
      controls: readings.map { .init($0.control, value: $0.value) }, change: news.change,
      frame: news.frame.map { FramePosition($0) },
      provenance: .init(news.provenance))
  }
}

extension SetSettingsResponse {
  init(_ camera: CameraID, _ outcome: SettingsOutcome) {
    self.init(
      change: outcome.change, settings: .init(device: camera.rawValue, outcome.settings),
      streaming: outcome.isStreaming, clamped: outcome.clamped.map { .init($0) })
  }
}
