import CaptureModel
import Testing

@testable import CaptureControls

@Suite struct SettingsPlannerTests {
  private func assignments(_ pairs: KeyValuePairs<ControlID, Int64>) -> [ControlAssignment] {
    pairs.map { ControlAssignment($0, .integer($1)) }
  }

  @Test func switchesGoInACallBeforeTheirValues() throws {
    let plan = try Webcam.plan { change in
      change.focus.lensPosition = 0.5
      change.exposure.duration = 0.01
      change.whiteBalance.colour = .temperature(.init(temperature: 5000))
    }
    #expect(
      plan.calls == [
        assignments([.autoFocus: 0, .autoExposure: 1, .autoWhiteBalance: 0]),
        assignments([.focusAbsolute: 125, .exposureAbsolute: 100, .whiteBalanceTemperature: 5000]),
      ])
    #expect(plan.asked.exposureMode == .custom)
  }

  @Test func whatIsSoAlreadyIsNotSwitched() throws {
    var numbers = Webcam.numbers(Webcam.controls)
    numbers[.autoExposure] = 1
    let plan = try Webcam.plan(Webcam.controls, numbers) { $0.exposure.gain = 7 }
    #expect(plan.calls == [assignments([.gain: 7])])
    #expect(plan.alreadySet == [SettingsPlan.Step(control: .autoExposure, value: .integer(1))])
    // 3, aperture priority, is as automatic as a camera with a fixed lens gets.
    #expect(try Webcam.plan { $0.exposure.mode = .continuous }.calls.isEmpty)
  }

  @Test func lockingKeepsWhatTheAutomaticModeFound() throws {
    var plan = try Webcam.plan { $0.exposure.mode = .locked }
    #expect(plan.valuesToKeep == [.exposureAbsolute, .gain])
    plan.addValuesToKeep([.exposureAbsolute: 77, .gain: 3])
    #expect(plan.calls == [assignments([.autoExposure: 1]), assignments([.exposureAbsolute: 77, .gain: 3])])
  }

  @Test func customKeepsWhatTheAutomaticModeFoundOfWhatIsNotGiven() throws {
    var plan = try Webcam.plan { $0.exposure.duration = 0.01 }
    #expect(plan.valuesToKeep == [.gain])
    plan.addValuesToKeep([.gain: 3])
    #expect(plan.calls.last == assignments([.exposureAbsolute: 100, .gain: 3]))
    #expect(try Webcam.plan { $0.exposure.gain = 9 }.valuesToKeep == [.exposureAbsolute])
    #expect(try Webcam.plan { $0.exposure.mode = .custom }.valuesToKeep == [.exposureAbsolute, .gain])
    #expect(try Webcam.plan { $0.exposure = .init(duration: 0.01, gain: 9) }.valuesToKeep.isEmpty)
    // What a person has set already stays by itself.
    var manual = Webcam.numbers(Webcam.controls)
    manual[.autoExposure] = 1
    #expect(try Webcam.plan(Webcam.controls, manual) { $0.exposure.duration = 0.01 }.valuesToKeep.isEmpty)
  }

  @Test func whatLiesBetweenAMenusItemsIsRefusedOrClamped() throws {
    let menus = [
      Webcam.integerMenu(.isoSensitivity, "iso_sensitivity", [100_000, 200_000, 400_000]),
      Webcam.integerMenu(.autoExposureBias, "auto_exposure_bias", [-1000, -500, 0, 500, 1000]),
    ]
    #expect(
      refusal(menus) { $0.exposure.bias = 0.3 }
        == "exposure.bias cannot be 0.3 EV: 'cam' takes 0 and 0.5 EV, and nothing between")
    #expect(
      refusal(menus) { $0.exposure.iso = 250 }
        == "exposure.iso cannot be 250: 'cam' takes 200 and 400, and nothing between")
    #expect(refusal(menus) { $0.exposure.iso = 800 } == "exposure.iso cannot be 800: 'cam' takes 100 to 400")
    #expect(try Webcam.plan(menus) { $0.exposure.bias = -0.5 }.calls == [assignments([.autoExposureBias: 1])])
    let clamped = try Webcam.plan(menus, clamping: true) { $0.exposure = .init(iso: 999, bias: 0.3) }
    #expect(clamped.calls == [assignments([.isoSensitivity: 2, .autoExposureBias: 3])])
    #expect(
      clamped.clamped == [
        ClampedValue(name: "exposure.iso", asked: 999, set: 400),
        ClampedValue(name: "exposure.bias", asked: 0.3, set: 0.5, step: 0.5),
      ])
    #expect(throws: CaptureError.self) {
      try Webcam.plan(menus, clamping: true) { $0.exposure.bias = .nan }
    }
  }

  @Test func aResetTakesTheBiasNearestToNone() throws {
    let menu = [Webcam.integerMenu(.autoExposureBias, "auto_exposure_bias", [-700, -300, 400])]
    let reset = SettingsChange.reset(SettingsMap(menu).description(delays: ControlDelays(driver: "")))
    #expect(try Webcam.plan(menu) { $0 = reset }.calls == [assignments([.autoExposureBias: 1])])
  }

  @Test func aLockOfTheCameraItselfIsUsedBitByBit() throws {
    let lock = ControlDescription(
      id: .lock3A, name: "3a_lock", label: "3A Lock", type: .bitmask, maximum: 7)
    let controls = [Webcam.exposureMenu, lock]
    var numbers = Webcam.numbers(controls)
    numbers[.lock3A] = 4
    let plan = try Webcam.plan(controls, numbers) { $0.exposure.mode = .locked }
    #expect(plan.calls == [assignments([.lock3A: 5])])
    #expect(plan.valuesToKeep.isEmpty)
    numbers[.lock3A] = 5
    #expect(SettingsMap(controls).settings(numbers).exposure?.mode == .locked)
    let free = try Webcam.plan(controls, numbers) { $0.exposure.mode = .continuous }
    #expect(free.calls == [assignments([.lock3A: 4])])
  }

  @Test func focusingOncePressesAButtonLast() throws {
    let controls = Webcam.controls + [Webcam.button(.autoFocusStart, "auto_focus_start")]
    let plan = try Webcam.plan(controls) { $0.focus.mode = .auto }
    #expect(plan.calls == [assignments([.autoFocus: 0]), assignments([.autoFocusStart: 0])])
  }

  @Test func aSearchThatMayBeUnderWayIsStopped() throws {
    let status = ControlDescription(
      id: .autoFocusStatus, name: "auto_focus_status", label: "Status", type: .bitmask, maximum: 7)
    var lens = Webcam.focus
    lens.flags = []
    let controls = [
      lens, Webcam.button(.autoFocusStart, "auto_focus_start"),
      Webcam.button(.autoFocusStop, "auto_focus_stop"), status,
    ]
    var numbers = Webcam.numbers(controls)
    let idle = try Webcam.plan(controls, numbers) { $0.focus.lensPosition = 0.5 }
    #expect(idle.stops.isEmpty)
    numbers[.autoFocusStatus] = nil
    let unknown = try Webcam.plan(controls, numbers) { $0.focus.lensPosition = 0.5 }
    #expect(unknown.stops.map(\.control) == [.autoFocusStop])
  }

  @Test func valuesAreRoundedToWhatTheDriverTakes() throws {
    let plan = try Webcam.plan { change in
      change.focus.lensPosition = 0.501
      change.zoom = .init(factor: 2.345)
    }
    #expect(plan.calls.last == assignments([.focusAbsolute: 125, .zoomAbsolute: 235]))
  }

  private func refusal(
    _ controls: [ControlDescription] = Webcam.controls, _ change: (inout SettingsChange) -> Void
  ) -> String? {
    do throws(CaptureError) {
      _ = try Webcam.plan(controls, nil, change)
      return nil
    } catch {
      return error.code == .invalidArgument ? error.message : "\(error.code)"
    }
  }

  /// One control has both.
  @Test func aLightIsSwitchedOffWithoutTheOther() throws {
    let controls = [Webcam.menu(.flashLEDMode, "led_mode", [0, 1, 2], default: 0)]
    let ready = try Webcam.plan(controls, [.flashLEDMode: 1]) { $0.torch = .init(mode: .off) }
    #expect(ready.calls.isEmpty && ready.leftOff.map(\.on) == [.integer(2)])
    let lit = try Webcam.plan(controls, [.flashLEDMode: 2]) { $0.flash = .init(mode: .off) }
    #expect(lit.calls.isEmpty && lit.leftOff.map(\.on) == [.integer(1)])
    let off = try Webcam.plan(controls, [.flashLEDMode: 2]) { $0.torch = .init(mode: .off) }
    #expect(off.calls == [assignments([.flashLEDMode: 0])] && off.leftOff.isEmpty)
  }

  @Test func refusalsNameWhatIsPossible() {
    #expect(
      refusal { $0.exposure.duration = 1 }
        == "exposure.duration cannot be 1 s: 'cam' takes 0.0003 to 0.2047 s")
    #expect(refusal { $0.zoom = .init(factor: 6) } == "zoom.factor cannot be 6: 'cam' takes 1 to 5")
    #expect(
      refusal { $0.focus.mode = .auto } == "focus.mode cannot be auto: 'cam' has continuous, locked")
    #expect(
      refusal { $0.focus = .init(mode: .continuous, lensPosition: 0.5) }
        == "focus.lens_position cannot be set with focus mode continuous: only with locked")
    #expect(
      refusal { $0.exposure.iso = 100 }?.hasPrefix("exposure.iso cannot be set on 'cam': it can set") == true)
    #expect(refusal { $0.exposure = .init(iso: 100, gain: 4) }?.hasPrefix("iso and gain") == true)
    #expect(
      refusal { $0.torch = .init(mode: .on) } == "torch.mode cannot be on: 'cam' has none that can be set")
    #expect(
      refusal {
        $0.torch = .init(mode: .on)
        $0.flash = .init(mode: .on)
      } == "torch and flash exclude each other; switch one of them off")
    #expect(refusal { $0.whiteBalance.colour = .temperature(.init(temperature: 5000, tint: 10)) } != nil)
    #expect(refusal { $0.focus.point = .center }?.hasSuffix("the node cannot move its lens") == true)
  }

  @Test func aColourBesideAnotherModeIsRefusedInItsOwnWords() {
    func refusal(_ colour: SettingsChange.WhiteBalance.Colour) -> CaptureError? {
      do throws(CaptureError) {
        _ = try Webcam.plan { $0.whiteBalance = .init(mode: .continuous, colour: colour) }
        return nil
      } catch {
        return error
      }
    }
    for (colour, field) in [
      (.temperature(.init(temperature: 5000)), "white_balance.temperature"),
      (.gains(WhiteBalanceGains(red: 1, green: 1, blue: 1)), "white_balance.gains"),
      (.greyWorld, "white_balance.grey_world"),
    ] as [(SettingsChange.WhiteBalance.Colour, String)] {
      let error = refusal(colour)
      #expect(error?.details?.field == "change.\(field)")
      #expect(
        error?.message == "\(field) cannot be set with white balance mode continuous: only with locked")
    }
  }

  private static let balances = [
    Webcam.integer(.redBalance, "red_balance", 60, 200, default: 100),
    Webcam.integer(.blueBalance, "blue_balance", 60, 200, default: 100),
  ]

  /// The refusal does not mention gains, since the client did not name them; the values that it names are accepted.
  @Test func lightThatGainsDoNotReachIsRefusedInItsOwnWords() throws {
    func ends(_ pattern: Regex<(Substring, Substring, Substring)>, _ text: String) throws -> [Double] {
      let match = try #require(try pattern.firstMatch(in: text), "\(text)")
      return [try #require(Double(match.1)), try #require(Double(match.2))]
    }
    func takes(_ temperature: Double, _ tint: Double) -> Bool {
      refusal(Self.balances) {
        $0.whiteBalance.colour = .temperature(.init(temperature: temperature, tint: tint))
      } == nil
    }
    let plain = try #require(
      refusal(Self.balances) { $0.whiteBalance.colour = .temperature(.init(temperature: 2000)) })
    #expect(plain.hasPrefix("white_balance.temperature cannot be 2000 K: 'cam' takes "))
    for kelvin in try ends(#/takes ([0-9.]+) to ([0-9.]+) K$/#, plain) { #expect(takes(kelvin, 0)) }

    let tinted = try #require(
      refusal(Self.balances) { $0.whiteBalance.colour = .temperature(.init(temperature: 3900, tint: 60)) })
    #expect(
      tinted.hasPrefix("white_balance.temperature cannot be 3900 K with a tint of 60: 'cam' takes ")
        && !tinted.contains("gains"), "\(tinted)")
    for kelvin in try ends(#/takes ([0-9.]+) to ([0-9.]+) K with that tint/#, tinted) {
      #expect(takes(kelvin, 60), "\(kelvin)")
    }
    for tint in try ends(#/or with that temperature a tint of ([-0-9.]+) to ([-0-9.]+)$/#, tinted) {
      #expect(takes(3900, tint), "\(tint)")
    }
    let green = try #require(
      refusal(Self.balances) { $0.whiteBalance.colour = .temperature(.init(temperature: 6500, tint: 149)) })
    #expect(green.hasPrefix("white_balance.tint cannot be 149: 'cam' takes "), "\(green)")
    for temperature in [Double.nan, .infinity, -.infinity, -1] {
      #expect(!takes(temperature, 0) && !takes(temperature, 20))
    }
    // Gains are refused in the words of gains.
    let red = refusal(Self.balances) {
      $0.whiteBalance.colour = .gains(WhiteBalanceGains(red: 3, green: 1, blue: 1))
    }
    #expect(red == "white_balance.gains cannot be 3: 'cam', for red over green, takes 0.6 to 2")
  }

  @Test func lightThatGainsDoNotReachIsClampedToLightThatTheyDo() throws {
    let plan = try Webcam.plan(Self.balances, clamping: true) {
      $0.whiteBalance.colour = .temperature(.init(temperature: 2000))
    }
    let clamped = try #require(plan.clamped.first)
    #expect(plan.clamped.count == 1 && clamped.name == "white_balance.temperature" && clamped.asked == 2000)
    let same = try Webcam.plan(Self.balances) {
      $0.whiteBalance.colour = .temperature(.init(temperature: clamped.set))
    }
    #expect(same.values == plan.values && same.clamped.isEmpty)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity]) func noNumberIsNoValue(_ value: Double) {
    for clamping in [false, true] {
      #expect(throws: CaptureError.self) {
        try Webcam.plan(clamping: clamping) { $0.exposure.duration = value }
      }
      #expect(throws: CaptureError.self) {
        try Webcam.plan(clamping: clamping) { $0.focus.lensPosition = value }
      }
    }
  }

  @Test func clampingTakesTheNearestPossibleValue() throws {
    let plan = try Webcam.plan(clamping: true) { $0.exposure.duration = 99 }
    #expect(plan.calls.last == assignments([.exposureAbsolute: 2047]))
    let clamped = try #require(plan.clamped.first)
    #expect(plan.clamped.count == 1 && clamped.name == "exposure.duration" && clamped.asked == 99)
    #expect(abs(clamped.set - 0.2047) < 1e-9)
    let inRange = try Webcam.plan(clamping: true) { $0.exposure.duration = 0.01 }
    #expect(inRange.clamped.isEmpty)
  }

  @Test func ofAControlEveryValueThatIsClampedIsSaid() throws {
    var clamping = Clamping(true)
    let gain = ControlDescription(id: .gain, name: "gain", label: "Gain", type: .integer, maximum: 255)
    #expect(try clamping.clamp(.integer(999), for: gain) == .integer(255))
    #expect(try clamping.clamp(.integer(7), for: gain) == .integer(7))
    var array = gain
    (array.name, array.elements, array.dimensions) = ("grid", 3, [3])
    #expect(try clamping.clamp(.integers([1, -5, 300]), for: array) == .integers([1, 0, 255]))
    #expect(
      clamping.values == [
        ClampedValue(name: "gain", asked: 999, set: 255), ClampedValue(name: "grid[1]", asked: -5, set: 0),
        ClampedValue(name: "grid[2]", asked: 300, set: 255),
      ])
    var refusing = Clamping(false)
    #expect(throws: CaptureError.self) { try refusing.clamp(.integer(999), for: gain) }
    #expect(refusing.values.isEmpty)
  }
}
