/// Says which gains, and so which light, a camera with red and blue balance can be set to.
extension SettingsDescription.Balances {
  package func contains(_ gains: WhiteBalanceGains) -> Bool {
    red.contains(gains.red / gains.green) && blue.contains(gains.blue / gains.green)
  }

  /// Whether gains in these ranges make `light` grey.
  package func contains(_ light: TemperatureAndTint) -> Bool {
    TemperatureAndTint.temperatures.contains(light.temperature)
      && TemperatureAndTint.tints.contains(light.tint) && contains(WhiteBalanceGains(for: light))
  }

  /// The range of each of the three gains, for any value of the others; the smallest gain is 1.
  package var eachGain: SettingsDescription.ValueRange {
    let most = min(red.maximum, blue.maximum, 1 / red.minimum, 1 / blue.minimum)
    return SettingsDescription.ValueRange(minimum: 1, maximum: max(most, 1), defaultValue: 1)
  }

  /// The temperatures, in kelvin, that are possible with a tint. Where they form several ranges, it is the one nearest to `wanted`. `nil`: none is
  /// possible.
  package func temperatures(tint: Double, near wanted: Double) -> ClosedRange<Double>? {
    stretch(of: Self.temperatureScale, near: wanted) {
      contains(TemperatureAndTint(temperature: $0, tint: tint))
    }
  }

  /// The tints that are possible with a temperature.
  package func tints(temperature: Double, near wanted: Double) -> ClosedRange<Double>? {
    stretch(of: Self.tintScale, near: wanted) {
      contains(TemperatureAndTint(temperature: temperature, tint: $0))
    }
  }

  /// The tints that are possible with any temperature.
  package var tints: ClosedRange<Double>? {
    let fromMiddle = Self.tintScale.sorted { abs($0) < abs($1) }
    guard let middle = fromMiddle.first(where: isPossible(tint:)) else { return nil }
    let range = TemperatureAndTint.tints
    let ends = [range.lowerBound, range.upperBound].map { end in
      isPossible(tint: end) ? end : edge(from: middle, to: end, where: isPossible(tint:))
    }
    return ends[0].rounded(.up)...max(ends[1].rounded(.down), ends[0].rounded(.up))
  }

  private func isPossible(tint: Double) -> Bool {
    Self.temperatureScale.contains {
      contains(TemperatureAndTint(temperature: $0, tint: tint))
    }
  }

  /// The temperatures that are tried. Equal steps of 1/T are about equal steps of colour.
  private static let temperatureScale: [Double] = {
    let range = TemperatureAndTint.temperatures
    let (cold, warm) = (1e6 / range.upperBound, 1e6 / range.lowerBound)
    let between = (1..<150).map { 1e6 / (warm - (warm - cold) * Double($0) / 150) }
    return [range.lowerBound] + between + [range.upperBound]
  }()
  private static let tintScale = stride(from: -150.0, through: 150, by: 5).map { $0 }
}

/// The range of a rising scale in which `isSo` holds and which contains `wanted` or comes nearest to it, to whole numbers. `nil`: it holds nowhere.
private func stretch(of scale: [Double], near wanted: Double, where isSo: (Double) -> Bool)
  -> ClosedRange<Double>?
{
  let (least, most) = (scale[0], scale[scale.count - 1])
  var places = scale
  if wanted > least, wanted < most, !scale.contains(wanted) {
    places.insert(wanted, at: scale.firstIndex { $0 > wanted }!)
  }
  let holds = places.map(isSo)
  guard
    let nearest = places.indices.filter({ holds[$0] }).min(by: {
      abs(places[$0] - wanted) < abs(places[$1] - wanted)
    })
  else { return nil }
  let below = holds[..<nearest].lastIndex(of: false)
  let above = holds[nearest...].firstIndex(of: false)
  let low = below.map { edge(from: places[$0 + 1], to: places[$0], where: isSo) } ?? least
  let high = above.map { edge(from: places[$0 - 1], to: places[$0], where: isSo) } ?? most
  let whole = (low.rounded(.up), high.rounded(.down))
  return whole.0 <= whole.1 ? whole.0...whole.1 : low...high
}

/// The last place at which `isSo` holds, on the way from a place where it does to one where it does not.
private func edge(from inside: Double, to outside: Double, where isSo: (Double) -> Bool) -> Double {
  var (inside, outside) = (inside, outside)
  while abs(outside - inside) > 0.5 {
    let middle = (inside + outside) / 2
    if isSo(middle) { inside = middle } else { outside = middle }
  }
  return inside
}
