import Capture3A
import CaptureModel
import Testing

@Suite struct GreyWorldTests {
  static func scene(_ seed: Int) -> (NormalizedPoint) -> LinearColor {
    { point in
      let grey = 0.08 + 0.25 * point.y
      // Some coloured things among grey ones.
      switch Int(point.x * 16 + 0.5) + Int(point.y * 12 + 0.5) + seed {
      case let place where place % 5 == 0: return LinearColor(red: 0.4, green: 0.08, blue: 0.05)
      case let place where place % 7 == 0: return LinearColor(red: 0.05, green: 0.2, blue: 0.35)
      default: return LinearColor(red: grey, green: grey, blue: grey)
      }
    }
  }

  private func settle(
    _ camera: inout ModelCamera, _ balance: inout GreyWorld, frames: Int = 60
  ) -> (last: Int, count: Int) {
    var (last, count) = (0, 0)
    for index in 1...frames {
      let (frame, known) = camera.frame()
      if let next = balance.observe(frame, takenWith: known.whiteBalance) {
        camera.perform(.balance(next))
        (last, count) = (index, count + 1)
      }
    }
    return (last, count)
  }

  @Test(arguments: [2500.0, 3000, 3700, 4500, 5500, 6500, 8000])
  func gainsMakeGreyGrey(kelvin: Double) {
    for seed in 0..<3 {
      for delay in [0, 2, 5] {
        var camera = ModelCamera(seed: UInt64(seed))
        camera.delay = delay
        camera.scene = Self.scene(seed)
        camera.illuminant = TemperatureAndTint(temperature: kelvin, tint: Double(seed) * 10 - 20).light
        camera.start(exposure: Exposure(duration: .milliseconds(60)))
        var balance = GreyWorld(actuator: .gains(red: 0.1...10, blue: 0.1...10))
        let commands = settle(&camera, &balance)
        let grey = camera.illuminant * camera.whiteBalance.gains
        #expect(
          abs(grey.red / grey.green - 1) < 0.03 && abs(grey.blue / grey.green - 1) < 0.03
            && commands.last <= 30 && !balance.isAdjusting,
          "\(kelvin) K, seed \(seed), delay \(delay): \(grey), \(commands)")
      }
    }
  }

  @Test(arguments: [2500.0, 3000, 3700, 4500, 5500, 6500, 8000])
  func aTemperatureMakesRedAndBlueEqual(kelvin: Double) {
    for delay in [0, 2, 5] {
      var camera = ModelCamera(seed: 3)
      camera.delay = delay
      camera.scene = Self.scene(3)
      camera.illuminant = TemperatureAndTint(temperature: kelvin).light
      camera.start(exposure: Exposure(duration: .milliseconds(60)), whiteBalance: .temperature(5000))
      var balance = GreyWorld(actuator: .temperature(2000...10000, step: 10))
      let commands = settle(&camera, &balance)
      let grey = camera.illuminant * camera.whiteBalance.gains
      #expect(
        abs(grey.red / grey.green - 1) < 0.03 && abs(grey.blue / grey.green - 1) < 0.03
          && commands.last <= 40,
        "\(kelvin) K, delay \(delay): \(grey), \(commands)")
    }
  }

  @Test func rightColoursAreLeftAlone() {
    var camera = ModelCamera()
    camera.noise = 0.05
    camera.scene = Self.scene(0)
    camera.start(exposure: Exposure(duration: .milliseconds(60)))
    var balance = GreyWorld(actuator: .gains(red: 0.1...10, blue: 0.1...10))
    _ = settle(&camera, &balance)
    #expect(settle(&camera, &balance, frames: 200).count == 0)
    camera.illuminant = TemperatureAndTint(temperature: 3200).light
    #expect(settle(&camera, &balance).count > 0)
  }

  /// The nearest that can be had is no result of auto mode, and what continuous rests at.
  @Test(arguments: [DelayTrust.calibrated, .unknown], [AutomaticMode.auto, .continuous])
  func lightThatCannotBeMadeGreyIsSaid(trust: DelayTrust, mode: AutomaticMode) {
    var camera = ModelCamera()
    camera.illuminant = TemperatureAndTint(temperature: 2200).light
    camera.start(exposure: Exposure(duration: .milliseconds(60)))
    var balance = GreyWorld(actuator: .gains(red: 0.5...2, blue: 0.5...2), trust: trust)
    balance.set(mode)
    _ = settle(&camera, &balance, frames: 100)
    #expect(!balance.isAdjusting && balance.mode == (mode == .auto ? .locked : .continuous))
    #expect((balance.failure?.contains("makes grey of this light") == true) == (mode == .auto))
    #expect(camera.whiteBalance.gains == WhiteBalanceGains(red: 0.5, green: 1, blue: 2))
  }

  /// The light lies between two temperatures that can be set. With the nearer one grey is off by some 12 %.
  @Test func theNearestOfCoarseTemperaturesIsFound() {
    var camera = ModelCamera()
    camera.illuminant = TemperatureAndTint(temperature: 2850).light
    camera.start(exposure: Exposure(duration: .milliseconds(60)), whiteBalance: .temperature(4500))
    var balance = GreyWorld(actuator: .temperature(2500...6500, step: 500))
    balance.set(.auto)
    _ = settle(&camera, &balance)
    #expect(balance.mode == .locked && balance.failure == nil, "\(balance.failure ?? "")")
    #expect(camera.whiteBalance == .temperature(3000))
  }

  @Test func colourThatDoesNotComeToRestIsSaidAfterManyCorrections() {
    var camera = ModelCamera()
    camera.start(exposure: Exposure(duration: .milliseconds(60)))
    var balance = GreyWorld(actuator: .gains(red: 0.1...10, blue: 0.1...10))
    balance.set(.auto)
    var steps = 0
    for _ in 0..<1000 where balance.mode == .auto {
      // The light is another one after each step.
      camera.illuminant = TemperatureAndTint(temperature: steps % 2 == 0 ? 4500 : 5500).light
      let (frame, known) = camera.frame()
      if let next = balance.observe(frame, takenWith: known.whiteBalance) {
        camera.perform(.balance(next))
        steps += 1
      }
    }
    let told = balance.failure ?? "nothing"
    #expect(told.contains("does not come to rest") && steps == 100, "\(steps) steps, \(told)")
  }

  /// What is left of it is darker than the rest, and of another colour.
  @Test func anOverexposedPictureIsNotBelieved() {
    var camera = ModelCamera()
    camera.scene = Self.scene(0)
    camera.start(exposure: Exposure(duration: .milliseconds(250)))
    var balance = GreyWorld(actuator: .gains(red: 0.1...10, blue: 0.1...10))
    balance.set(.auto)
    _ = settle(&camera, &balance)
    #expect(balance.mode == .locked && balance.failure?.contains("too bright") == true)
    #expect(balance.greyWorldGains == nil)
  }

  /// The middle of what can be set is tried, and shows no grey either.
  @Test func continuousStaysAsItWasInAnOverexposedPicture() {
    let setting = WhiteBalanceSetting.gains(WhiteBalanceGains(red: 1.5, green: 1, blue: 2.5))
    var camera = ModelCamera()
    camera.scene = Self.scene(0)
    camera.start(exposure: Exposure(duration: .milliseconds(250)), whiteBalance: setting)
    var balance = GreyWorld(actuator: .gains(red: 0.1...10, blue: 0.1...10))
    #expect(settle(&camera, &balance).count == 2)
    #expect(camera.whiteBalance == setting && !balance.isAdjusting)
  }

  @Test func aDarkPictureSaysNothing() {
    var camera = ModelCamera()
    camera.light = 0.0001
    var balance = GreyWorld(actuator: .gains(red: 0.1...10, blue: 0.1...10))
    #expect(settle(&camera, &balance).count == 0)
    #expect(balance.greyWorldGains == nil)
  }
}
