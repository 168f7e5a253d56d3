import CaptureModel
import Testing

@Suite struct WhiteBalanceTests {
  @Test func locusMatchesPublishedColours() {
    // CIE 15: Planckian radiators, u and v.
    for (temperature, u, v) in [
      (2000.0, 0.3050, 0.3593), (2856, 0.2560, 0.3495), (4000, 0.2251, 0.3344), (6500, 0.2004, 0.3103),
      (10000, 0.1902, 0.2938),
    ] {
      let colour = PlanckianLocus.chromaticity(at: temperature)
      #expect(abs(colour.u - u) < 0.0015 && abs(colour.v - v) < 0.0015, "\(temperature) K is \(colour)")
    }
  }

  @Test func daylightIsNeutralAndSlightlyGreen() throws {
    let white = try #require(TemperatureAndTint(of: LinearColor(red: 1, green: 1, blue: 1)))
    #expect(abs(white.temperature - 6504) < 20)
    // D65 lies 0.0032 above the locus.
    #expect(abs(white.tint - 9.6) < 1)
  }

  @Test func temperatureAndTintSurviveGains() {
    for mired in stride(from: 100.0, through: 500, by: 10) {
      for tint in stride(from: -150.0, through: 150, by: 30) {
        let asked = TemperatureAndTint(temperature: 1e6 / mired, tint: tint)
        let light = asked.light
        // Where a channel is at its floor the colour is out of sRGB, and not this one.
        guard min(light.red, light.green, light.blue) > max(light.red, light.green) / 900 else { continue }
        let gains = WhiteBalanceGains(for: asked)
        #expect(min(gains.red, gains.green, gains.blue) == 1)
        let back = gains.temperatureAndTint
        #expect(
          abs(back.temperature / asked.temperature - 1) < 0.001 && abs(back.tint - asked.tint) < 0.1,
          "\(asked) came back as \(back)")
      }
      let plain = WhiteBalanceGains(for: TemperatureAndTint(temperature: 1e6 / mired)).temperatureAndTint
      #expect(abs(plain.temperature * mired / 1e6 - 1) < 0.001 && abs(plain.tint) < 0.1)
    }
  }

  @Test func gainsSurviveTemperatureAndTint() {
    for red in stride(from: 0.5, through: 2, by: 0.25) {
      for blue in stride(from: 0.5, through: 3, by: 0.25) {
        let asked = WhiteBalanceGains(red: red, green: 1, blue: blue)
        let described = asked.temperatureAndTint
        // At its limits a description is of another light.
        guard abs(described.tint) < 150, (1501..<14999).contains(described.temperature) else { continue }
        let back = WhiteBalanceGains(for: described)
        #expect(
          abs(back.red / asked.red - 1) < 0.002 && abs(back.green / asked.green - 1) < 0.002
            && abs(back.blue / asked.blue - 1) < 0.002,
          "\(asked) came back as \(back)")
      }
    }
  }

  @Test func warmLightNeedsBlueAndGreenLightNeedsMagenta() {
    let candle = WhiteBalanceGains(for: TemperatureAndTint(temperature: 2500))
    #expect(candle.red == 1 && candle.blue > candle.green && candle.green > 1)
    let shade = WhiteBalanceGains(for: TemperatureAndTint(temperature: 9000))
    #expect(shade.blue == 1 && shade.red > 1)
    let plain = WhiteBalanceGains(for: TemperatureAndTint(temperature: 5000))
    let green = WhiteBalanceGains(for: TemperatureAndTint(temperature: 5000, tint: 100))
    #expect(green.red / green.green > plain.red / plain.green)
    #expect(green.blue / green.green > plain.blue / plain.green)
  }

  @Test func gainsStopAtTheMaximum() {
    let candle = WhiteBalanceGains(for: TemperatureAndTint(temperature: 2500), maximum: 4)
    #expect(candle.blue == 4 && candle.red == 1)
    #expect(candle.temperatureAndTint.temperature > 2500)
  }

  @Test func greyWorldMakesTheMeanGrey() throws {
    let mean = LinearColor(red: 0.3, green: 0.2, blue: 0.1)
    let before = WhiteBalanceGains(red: 1, green: 1, blue: 1.5)
    let gains = try #require(WhiteBalanceGains(greyWorld: mean, takenWith: before))
    let scene = LinearColor(red: 0.3, green: 0.2, blue: 0.1 / 1.5)
    let after = scene * gains
    #expect(abs(after.red / after.green - 1) < 1e-9 && abs(after.blue / after.green - 1) < 1e-9)
    #expect(WhiteBalanceGains(greyWorld: LinearColor(red: 0, green: 1, blue: 1), takenWith: .none) == nil)
  }
}
