import CaptureEngine
import CaptureModel
import CaptureWire

extension SettingsEndpoint {
  func convertWhiteBalance(
    _ request: ConvertWhiteBalanceRequest, context: CallContext
  ) async throws -> ConvertWhiteBalanceResponse {
    let device = try engine.seen(by: context).device(request.device)
    let light: CaptureModel.TemperatureAndTint
    let gains: WhiteBalanceGains
    switch request.colour {
    case .temperature(let asked)?:
      light = try asked.model("temperature")
      gains = WhiteBalanceGains(for: light)
    case .gains(let asked)?:
      gains = try asked.model("gains")
      light = gains.temperatureAndTint
    case nil:
      throw CaptureError(
        .invalidArgument, "the request names no colour: a temperature with a tint, or gains",
        .init(.valueMissing, field: "colour"))
    }
    let balance = try await device.run { try await $0.settings.describe() }.whiteBalance
    return ConvertWhiteBalanceResponse(
      temperature: .init(light), gains: .init(gains),
      reachable: balance?.balances?.contains(gains) ?? false)
  }
}
