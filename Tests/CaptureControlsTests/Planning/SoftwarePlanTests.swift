import CaptureModel
import Testing

@testable import CaptureControls

/// Which modes go to the node and which to the driver.
@Suite struct SoftwarePlanTests {
  private var abilities: SoftwareAbilities {
    var abilities = SoftwareAbilities()
    abilities.focusModes = [.auto, .continuous]
    abilities.hasFocusPoint = true
    abilities.focusRanges = FocusRange.allCases
    abilities.exposureModes = [.auto, .continuous]
    abilities.hasExposurePoint = true
    abilities.bias = .init(minimum: -4, maximum: 4, defaultValue: 0)
    abilities.whiteBalanceModes = [.auto, .continuous]
    abilities.hasGreyWorld = true
    return abilities
  }

  private func plan(
    _ software: SoftwareAbilities? = nil, _ controls: [ControlDescription] = Webcam.controls,
    isManual: Bool = false, _ body: (inout SettingsChange) -> Void
  ) throws -> SettingsPlan {
    var change = SettingsChange()
    body(&change)
    var numbers = Webcam.numbers(controls)
    if isManual { numbers[.autoExposure] = 1 }
    var planner = SettingsPlanner(
      camera: "'webcam'", map: SettingsMap(controls), numbers: numbers,
      asked: SettingsMap.Asked(), software: software ?? abilities, clamping: false)
    return try planner.plan(change)
  }

  private let corner = NormalizedPoint(clampingX: 0.1, y: 0.1)

  @Test func theDriversModeGoesFirst() throws {
    let own = try plan { $0.focus.mode = .continuous }
    #expect(own.software.focus == .release)
    let node = try plan { $0.focus.mode = .auto }
    #expect(node.software.focus?.mode == .auto)
    #expect(node.switches == [.init(control: .autoFocus, value: .integer(0))])
  }

  @Test func whatTheNodeTakesOverFromTheCameraIsSaid() throws {
    #expect(try plan { $0.exposure.mode = .auto }.software.exposure?.endsCameraMode == true)
    #expect(try plan(isManual: true) { $0.exposure.mode = .auto }.software.exposure?.endsCameraMode == false)
    #expect(try plan { $0.focus.mode = .auto }.software.focus?.endsCameraMode == true)
  }

  /// The switch comes first, and the values are left to the mode as far as it has them.
  @Test func aModeThatTheCameraGetsBackGoesBeforeItsValues() throws {
    var numbers = Webcam.numbers(Webcam.controls)
    numbers[.autoExposure] = 1
    var planner = SettingsPlanner(
      camera: "'webcam'", map: SettingsMap(Webcam.controls), numbers: numbers, asked: SettingsMap.Asked(),
      software: abilities, clamping: true)
    var change = SettingsChange()
    change.exposure = .init(mode: .continuous, duration: 0.01, gain: 9)
    let plan = try planner.planAutomation(change)
    #expect(plan.switches.map(\.control) == [.autoExposure] && plan.switches.first?.value != .integer(1))
    #expect(plan.values.map(\.control) == plan.kept && plan.kept.contains(.exposureAbsolute))
    #expect(plan.alreadySet.isEmpty && plan.asked.exposureMode == .continuous)
  }

  @Test func aPointARangeOrABiasThatTheDriverLacksIsTheNodes() throws {
    let point = try plan { $0.focus = .init(mode: .continuous, point: corner) }
    #expect(point.software.focus?.mode == .continuous && point.software.focus?.point == corner)
    let range = try plan { $0.focus.range = .near }
    #expect(range.software.focus?.mode == .continuous && range.software.focus?.range == .near)
    let bias = try plan { $0.exposure.bias = 1 }
    #expect(bias.software.exposure?.mode == .continuous && bias.software.exposure?.bias == 1)
    #expect(bias.valuesToKeep == [.exposureAbsolute, .gain])
  }

  @Test func aPointAskedForBeforeStillCounts() throws {
    var software = abilities
    software.kept.focusPoint = corner
    #expect(try plan(software) { $0.focus.mode = .continuous }.software.focus?.mode == .continuous)
    let centred = try plan(software) { $0.focus = .init(mode: .continuous, point: .center) }
    #expect(centred.software.focus?.releases == true && centred.software.focus?.point == .center)
  }

  @Test func theDriversBiasIsLeftAloneWhileTheNodeExposes() throws {
    let controls =
      Webcam.controls + [Webcam.integerMenu(.autoExposureBias, "auto_exposure_bias", [-1000, 0, 1000])]
    #expect(try plan(nil, controls) { $0.exposure.bias = 1 }.values.map(\.control) == [.autoExposureBias])
    var software = abilities
    software.kept.exposureMode = .continuous
    let taken = try plan(software, controls) { $0.exposure.bias = 1 }
    #expect(taken.values.isEmpty && taken.software.exposure?.bias == 1)
  }

  @Test func aPointIsKeptForLaterWhereNothingFocuses() throws {
    var numbers = Webcam.numbers(Webcam.controls)
    numbers[.autoFocus] = 0
    var planner = SettingsPlanner(
      camera: "'webcam'", map: SettingsMap(Webcam.controls), numbers: numbers, asked: SettingsMap.Asked(),
      software: abilities, clamping: false)
    var change = SettingsChange()
    change.focus.point = corner
    let plan = try planner.plan(change)
    #expect(plan.software.focus?.mode == nil && plan.software.focus?.releases == false && plan.calls.isEmpty)
  }

  /// Returns the message of the refusal; `nil`: there was none.
  private func refusal(
    _ software: SoftwareAbilities, _ controls: [ControlDescription] = Webcam.controls, isManual: Bool = false,
    _ body: (inout SettingsChange) -> Void
  ) -> String? {
    #expect(throws: CaptureError.self) { try plan(software, controls, isManual: isManual, body) }?.message
  }

  @Test func aBiasIsRefusedWhereTheExposureStaysAsItIs() {
    let told =
      "exposure.bias acts in the exposure modes continuous and auto, not in locked: set one of these modes"
    #expect(refusal(abilities) { $0.exposure = .init(mode: .locked, bias: 1) }?.hasPrefix(told) == true)
    let driver = Webcam.integerMenu(.autoExposureBias, "auto_exposure_bias", [-1000, 0, 1000])
    let locked = refusal(SoftwareAbilities(), Webcam.controls + [driver]) {
      $0.exposure = .init(mode: .locked, bias: 1)
    }
    #expect(
      locked
        == "exposure.bias acts in the exposure mode continuous, not in locked: set that mode on 'webcam' in the same change"
    )
    // What the node found it keeps, and a camera that nothing exposes keeps what was set.
    var software = abilities
    software.kept.exposureMode = .locked
    #expect(refusal(software, isManual: true) { $0.exposure.bias = 1 }?.hasPrefix(told) == true)
    let bare = Webcam.controls.filter { $0.id != .autoExposure }
    let message = refusal(abilities, bare) { $0.exposure.bias = 1 }
    #expect(message == told.replacing("locked", with: "custom") + " on 'webcam' in the same change")
  }

  @Test func noBiasIsTakenInEachMode() throws {
    var software = abilities
    software.kept.exposureMode = .locked
    #expect(try plan(software) { $0.exposure.bias = 0 }.software.exposure?.bias == 0)
    #expect(try plan { $0.exposure = .init(mode: .locked, bias: 0) }.software.exposure?.bias == 0)
  }
}
