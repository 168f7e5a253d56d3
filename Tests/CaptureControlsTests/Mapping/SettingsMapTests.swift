import CaptureModel
import Testing

@testable import CaptureControls

@Suite struct SettingsMapTests {
  private let delays = ControlDelays(driver: "uvcvideo")

  @Test func aWebcamIsDescribedInUnits() throws {
    let about = SettingsMap(Webcam.controls).description(delays: delays)
    #expect(about.focus?.modes == [.locked, .continuous])
    #expect(about.focus?.lensPosition?.minimum == 0 && about.focus?.lensPosition?.maximum == 1)
    #expect(abs(try #require(about.focus?.lensPosition?.step) - 0.02) < 1e-12)
    #expect(about.exposure?.modes == [.locked, .continuous, .custom])
    #expect(abs(try #require(about.exposure?.duration).maximum - 0.2047) < 1e-12)
    #expect(about.whiteBalance?.modes == [.locked, .continuous])
    #expect(about.whiteBalance?.temperature?.minimum == 2000 && about.whiteBalance?.tint == nil)
    #expect(about.zoom == .init(maximum: 5, kind: .hardware))
    #expect(about.torch == nil && about.flash == nil)
    #expect(!about.isCalibrated)
    #expect(about.controls.allSatisfy { $0.delay == ControlDelay(frames: 2, provenance: .assumed) })
  }

  @Test func theFarEndOfTheLensIsTheSmallestNumber() {
    let map = SettingsMap(Webcam.controls)
    var numbers = Webcam.numbers(Webcam.controls)
    numbers[.autoFocus] = 0
    numbers[.focusAbsolute] = 0
    #expect(map.settings(numbers).focus?.lensPosition?.value == 1)
    numbers[.focusAbsolute] = 250
    #expect(map.settings(numbers).focus?.lensPosition?.value == 0)
    #expect(map.settings(numbers).focus?.mode == .locked)
  }

  @Test func automaticValuesAreUnknownUnlessTheDriverTellsThem() {
    var controls = Webcam.controls
    let numbers = Webcam.numbers(controls)
    #expect(SettingsMap(controls).settings(numbers).exposure?.duration?.provenance == .unknown)
    controls[1].flags.insert(.volatile)
    #expect(SettingsMap(controls).settings(numbers).exposure?.duration?.provenance == .reported)
    #expect(SettingsMap(controls).settings(numbers).exposure?.mode == .continuous)
  }

  /// Of a control that cannot be read there is no number.
  @Test func aSwitchWithoutANumberMayBeThatOfTheAutomaticMode() {
    let map = SettingsMap(Webcam.controls)
    var numbers = Webcam.numbers(Webcam.controls)
    (numbers[.autoFocus], numbers[.autoWhiteBalance]) = (nil, nil)
    let settings = map.settings(numbers)
    #expect(settings.focus?.mode == .continuous && settings.whiteBalance?.mode == .continuous)
    #expect(settings.focus?.lensPosition?.provenance == .unknown)
    #expect(settings.whiteBalance?.temperature?.provenance == .unknown)
  }

  @Test func aNumberThatWasSetAndNotReadIsAssumed() {
    let map = SettingsMap(Webcam.controls)
    var numbers = Webcam.numbers(Webcam.controls)
    (numbers[.autoExposure], numbers[.gain]) = (1, 7)
    let settings = map.settings(numbers, unread: [.gain: 7])
    #expect(settings.exposure?.gain == Observed(7, .assumed))
    #expect(settings.zoom?.factor.provenance == .reported)
  }

  /// What the driver says of them now is of no one frame.
  @Test func automaticValuesAreNeverMoreThanAssumedInFrames() {
    var controls = Webcam.controls
    controls[1].flags.insert(.volatile)
    let map = SettingsMap(controls)
    let frame = map.frameSettings(map.settings(Webcam.numbers(controls)))
    #expect(frame.exposureDuration?.provenance == .assumed)
    #expect(frame.zoomFactor?.provenance == .reported)
    #expect(map.movingIDs == [controls[1].id])
  }

  @Test func menusWithUnitsBecomeValues() {
    let controls = [
      Webcam.integerMenu(.isoSensitivity, "iso_sensitivity", [100_000, 200_000, 400_000]),
      Webcam.menu(.autoISOSensitivity, "iso_sensitivity_auto", [0, 1], default: 1),
      Webcam.integerMenu(.autoExposureBias, "auto_exposure_bias", [-1000, -500, 0, 500, 1000]),
    ]
    let map = SettingsMap(controls)
    let about = map.description(delays: delays)
    #expect(about.exposure?.iso?.minimum == 100 && about.exposure?.iso?.maximum == 400)
    #expect(about.exposure?.bias?.minimum == -1 && about.exposure?.bias?.maximum == 1)
    #expect(about.exposure?.iso?.items == [100, 200, 400])
    #expect(about.exposure?.bias?.items == [-1, -0.5, 0, 0.5, 1])
    let now = map.settings([.isoSensitivity: 2, .autoISOSensitivity: 0, .autoExposureBias: 3])
    #expect(now.exposure?.iso == Observed(400, .reported))
    #expect(now.exposure?.bias == 0.5 && now.exposure?.mode == .custom)
  }

  @Test func balancesAreGainsOverGreenAndNeverMoreThanAssumed() throws {
    let controls = [
      Webcam.autoWhite, Webcam.integer(.redBalance, "red_balance", 0, 400, default: 100),
      Webcam.integer(.blueBalance, "blue_balance", 0, 400, default: 100),
    ]
    let map = SettingsMap(controls)
    let gains = try #require(
      map.settings([.autoWhiteBalance: 0, .redBalance: 200, .blueBalance: 50]).whiteBalance?.gains)
    #expect(gains.provenance == .assumed)
    #expect(gains.value == WhiteBalanceGains(red: 4, green: 2, blue: 1))
    let about = try #require(map.description(delays: delays).whiteBalance)
    #expect(about.balances?.red.minimum == 0.01 && about.balances?.red.maximum == 4)
    #expect(about.gains?.minimum == 1 && about.gains?.maximum == 4)
  }

  /// Each of these and everything between is taken, whatever the two others are; a little more is not.
  @Test(arguments: [(0, 400), (60, 400), (20, 170), (100, 100)] as [(Int64, Int64)])
  func theGainsThatAreToldAreThoseThatAreTaken(_ least: Int64, _ most: Int64) throws {
    let controls = [
      Webcam.integer(.redBalance, "red_balance", least, most, default: 100),
      Webcam.integer(.blueBalance, "blue_balance", 50, 300, default: 100),
    ]
    func takes(_ red: Double, _ green: Double, _ blue: Double) -> Bool {
      let gains = WhiteBalanceGains(red: red, green: green, blue: blue)
      return (try? Webcam.plan(controls) { $0.whiteBalance.colour = .gains(gains) }) != nil
    }
    let about = try #require(SettingsMap(controls).description(delays: delays).whiteBalance)
    let (gains, balances) = (try #require(about.gains), try #require(about.balances))
    let ends = [gains.minimum, (gains.minimum + gains.maximum) / 2, gains.maximum]
    for red in ends { for green in ends { for blue in ends { #expect(takes(red, green, blue)) } } }
    let more = gains.maximum * 1.001
    #expect(!takes(more, 1, 1) || !takes(1, more, 1) || !takes(1, 1, more))
    for (red, isTaken) in [
      (balances.red.minimum, true), (balances.red.maximum, true), (balances.red.minimum * 0.999, false),
      (balances.red.maximum * 1.001, false),
    ] { #expect(takes(red, 1, 1) == isTaken, "\(red)") }
    for (blue, isTaken) in [(0.5, true), (3, true), (0.499, false), (3.001, false)] {
      #expect(balances.blue.contains(blue) == isTaken && takes(1, 1, blue) == isTaken, "\(blue)")
    }
  }

  /// Where only gains can be set, those decide which light is possible.
  @Test func theTemperaturesThatAreToldAreThoseThatAreTaken() throws {
    let controls = [
      Webcam.integer(.redBalance, "red_balance", 60, 200, default: 100),
      Webcam.integer(.blueBalance, "blue_balance", 60, 200, default: 100),
    ]
    func takes(_ temperature: Double, _ tint: Double) -> Bool {
      let light = TemperatureAndTint(temperature: temperature, tint: tint)
      return (try? Webcam.plan(controls) { $0.whiteBalance.colour = .temperature(light) }) != nil
    }
    let about = try #require(SettingsMap(controls).description(delays: delays).whiteBalance)
    let (temperature, tint) = (try #require(about.temperature), try #require(about.tint))
    #expect(temperature.minimum > 3000 && temperature.maximum < 14_000 && temperature.defaultValue == 6500)
    #expect(tint.minimum > -150 && tint.maximum < 150 && tint.contains(60))
    for (kelvin, isTaken) in [
      (temperature.minimum, true), (temperature.maximum, true), (6000, true),
      (temperature.minimum - 3, false), (temperature.maximum + 3, false), (1500, false), (15_000, false),
    ] { #expect(takes(kelvin, 0) == isTaken, "\(kelvin)") }
    for (value, isTaken) in [
      (tint.minimum, true), (tint.maximum, true), (tint.minimum - 3, false), (tint.maximum + 3, false),
    ] {
      let kelvins = stride(from: 5000.0, through: 8000, by: 20)
      #expect(kelvins.contains { takes($0, value) } == isTaken, "\(value)")
    }
  }

  /// The control for the temperature keeps its number when gains are set.
  @Test func gainsThatWereSetLastSayTheLight() throws {
    let controls = [
      Webcam.autoWhite, Webcam.integer(.whiteBalanceTemperature, "temperature", 2800, 6500, default: 4000),
      Webcam.integer(.redBalance, "red_balance", 0, 400, default: 100),
      Webcam.integer(.blueBalance, "blue_balance", 0, 400, default: 100),
    ]
    let map = SettingsMap(controls)
    var numbers = Webcam.numbers(controls)
    numbers[.autoWhiteBalance] = 0
    let light = TemperatureAndTint(temperature: 6000, tint: 20)
    let byTint = try Webcam.plan(controls, numbers) { $0.whiteBalance.colour = .temperature(light) }
    for step in byTint.values { numbers[step.control] = step.value.number }
    let now = try #require(map.settings(numbers, asked: byTint.asked).whiteBalance)
    let (temperature, tint) = (try #require(now.temperature), try #require(now.tint))
    #expect(abs(temperature.value - 6000) < 60 && temperature.provenance == .derived)
    #expect(abs(tint.value - 20) < 2)
    let warm = TemperatureAndTint(temperature: 3000)
    let byControl = try Webcam.plan(controls, numbers) { $0.whiteBalance.colour = .temperature(warm) }
    #expect(byTint.asked.gainsWereSetLast && !byControl.asked.gainsWereSetLast)
    #expect(map.settings(numbers).whiteBalance?.temperature == Observed(4000, .reported))
  }

  @Test func linesAreSecondsWhereTheSensorSaysHowLongTheyTake() throws {
    let controls = [Webcam.integer(.exposureLines, "exposure", 4, 1000, default: 500)]
    #expect(SettingsMap(controls).description(delays: delays).exposure == nil)
    let time = SettingsMap.lineTime(
      values: [.horizontalBlanking: .integer(80), .pixelRate: .integer(72_000_000)], width: 640)
    let line = try #require(time)
    #expect(abs(line - 1e-5) < 1e-12)
    let range = SettingsMap(controls, lineTime: line).description(delays: delays).exposure?.duration
    #expect(abs(try #require(range).maximum - 0.01) < 1e-9)
  }

  @Test func aGainIsAnISOWhereItIsSaidWhichOne() throws {
    let controls = [
      Webcam.integer(.gain, "gain", 0, 100, default: 0),
      Webcam.integer(.exposureAbsolute, "exposure", 1, 1000, default: 10),
    ]
    #expect(SettingsMap(controls).description(delays: delays).exposure?.iso == nil)
    let map = SettingsMap(controls, gainISO: 100...1600)
    let range = try #require(map.description(delays: delays).exposure?.iso)
    #expect(range.minimum == 100 && range.maximum == 1600 && range.step == 15)
    let now = map.settings([.gain: 20, .exposureAbsolute: 10])
    #expect(now.exposure?.iso == Observed(400, .assumed) && now.exposure?.gain == Observed(20, .reported))
    #expect(map.setting(of: .gain) == .gain && map.settings(of: .gain) == [.gain, .iso])
    var change = SettingsChange()
    change.exposure.iso = 850
    var planner = SettingsPlanner(
      camera: "'cam'", map: map, numbers: [.gain: 0, .exposureAbsolute: 10], asked: .init(), clamping: false)
    #expect(try planner.plan(change).calls == [[ControlAssignment(.gain, .integer(50))]])
    change.exposure.iso = 3200
    let refusal = #expect(throws: CaptureError.self) { try planner.plan(change) }
    #expect(refusal?.message.contains("100 to 1600") == true)
  }

  /// A webcam in aperture priority exposes by the duration, and leaves the iris to whoever sets it.
  @Test func theIrisIsSetInAnyModeThatLeavesItFree() throws {
    let iris = Webcam.integer(.irisAbsolute, "iris_absolute", 200, 1600, step: 200, default: 200)
    let controls = Webcam.controls + [iris]
    let map = SettingsMap(controls)
    let range = try #require(map.description(delays: delays).exposure?.numbers[.iris])
    #expect(range.minimum == 200 && range.maximum == 1600 && range.step == 200)
    var numbers = Webcam.numbers(controls)
    let now = try #require(map.settings(numbers).exposure)
    #expect(now.mode == .continuous && now.numbers[.iris] == Observed(200, .reported))
    #expect(now.duration?.provenance == .unknown)
    #expect(map.frameSettings(map.settings(numbers))[.iris] == Observed(200, .reported))

    let plan = try Webcam.plan(controls) { $0.exposure.numbers[.iris] = 400 }
    #expect(plan.calls == [[ControlAssignment(.irisAbsolute, .integer(400))]])
    let refusal = #expect(throws: CaptureError.self) {
      try Webcam.plan(controls) { $0.exposure.numbers[.iris] = 4000 }
    }
    #expect(refusal?.message.contains("exposure.iris cannot be 4000") == true)
    #expect(refusal?.message.contains("200 to 1600") == true)

    // A driver whose camera moves it says so.
    var moved = iris
    moved.flags = .inactive
    numbers[.irisAbsolute] = 800
    let settings = SettingsMap(Webcam.controls + [moved]).settings(numbers)
    #expect(settings.exposure?.numbers[.iris]?.provenance == .unknown)
  }

  @Test func oneLEDIsTorchOrFlash() {
    let controls = [
      Webcam.menu(.flashLEDMode, "led_mode", [0, 1, 2], default: 0),
      Webcam.integer(.torchIntensity, "intensity_torch_mode", 10, 110, default: 60),
    ]
    let map = SettingsMap(controls)
    let now = map.settings([.flashLEDMode: 2, .torchIntensity: 60])
    #expect(now.torch?.mode == .on && now.torch?.level == Observed(0.5, .reported))
    #expect(now.torch?.isActive == true && now.flash?.mode == .off)
    #expect(map.frameSettings(now).torchLevel == Observed(0.5, .reported))
    #expect(map.frameSettings(map.settings([.flashLEDMode: 0])).torchLevel == Observed(0, .reported))
  }
}
