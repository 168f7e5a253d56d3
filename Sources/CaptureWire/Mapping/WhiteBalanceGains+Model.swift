public import CaptureModel

extension ColourGains {
  /// `nil`: the gains are unknown.
  init?(_ gains: CaptureModel.Observed<WhiteBalanceGains>) {
    if gains.provenance == .unknown { return nil }
    self.init(gains.value)
  }

  public init(_ gains: WhiteBalanceGains) {
    self.init(red: gains.red, green: gains.green, blue: gains.blue)
  }

  /// `nil` for numbers that are no gains.
  package var model: WhiteBalanceGains? { WhiteBalanceGains(checking: red, green, blue) }

  /// `nil`: there are no gains. Unknown gains are sent as their provenance alone.
  static func observed(_ gains: ColourGains?, _ provenance: Provenance) -> CaptureModel.Observed<
    WhiteBalanceGains
  >? {
    if provenance == .unknown { return .init(.none, .unknown) }
    return gains?.model.map { .init($0, provenance.model) }
  }

  /// The gains of a request. Throws `invalidArgument`, which names `field`, for numbers that are no gains.
  package func model(_ field: String) throws(CaptureError) -> WhiteBalanceGains {
    guard [red, green, blue].allSatisfy({ (1e-6...1e6).contains($0) }) else {
      throw CaptureError(
        .invalidArgument,
        "white balance gains of \(red), \(green), \(blue) cannot be set: each must be a number above 0",
        .init(
          .valueOutOfRange, field: field, asked: .text("\(red),\(green),\(blue)")))
    }
    return WhiteBalanceGains(red: red, green: green, blue: blue)
  }
}

extension TemperatureAndTint {
  package init(_ light: CaptureModel.TemperatureAndTint) {
    self.init(temperature: light.temperature, tint: light.tint)
  }

  package var model: CaptureModel.TemperatureAndTint { .init(temperature: temperature, tint: tint) }

  /// The temperature and tint of a request. Throws `invalidArgument`, which names `field`, for a temperature or tint out of range.
  package func model(_ field: String) throws(CaptureError) -> CaptureModel.TemperatureAndTint {
    let (temperatures, tints) = (
      CaptureModel.TemperatureAndTint.temperatures, CaptureModel.TemperatureAndTint.tints
    )
    guard temperatures.contains(temperature), tints.contains(tint) else {
      throw CaptureError(
        .invalidArgument,
        "\(temperature) K with a tint of \(tint) is no light; temperatures go from \(temperatures.lowerBound) to "
          + "\(temperatures.upperBound) K, and tints from \(tints.lowerBound) to \(tints.upperBound)",
        .init(
          .valueOutOfRange, field: field, asked: .text("\(temperature),\(tint)"),
          range: .init(temperatures.lowerBound, temperatures.upperBound)))
    }
    return model
  }
}
