import CaptureControls
import CaptureModel
import Testing

@testable import CaptureEngine

/// Which of the node's own modes a client ends by setting a control.
@Suite struct TakenOverModeTests {
  /// The plan of a client that sets the control of `setting`.
  private static func plan(setting: Setting, by control: ControlID) -> SettingsPlan {
    var plan = SettingsPlan.assigning([ControlAssignment(control, .integer(1))])
    let use = SettingsDescription.ControlUse(
      setting: setting, control: control, name: "", conversion: "",
      delay: ControlDelay(frames: 0, provenance: .assumed))
    _ = plan.releaseModes(of: [use])
    return plan
  }

  @Test func theControlOfAValueEndsTheModeOfItsGroup() {
    #expect(Self.plan(setting: .gain, by: .gain).software.exposure?.releases == true)
    #expect(Self.plan(setting: .lensPosition, by: .focusAbsolute).software.focus?.releases == true)
    let temperature = Self.plan(setting: .temperature, by: .whiteBalanceTemperature)
    #expect(temperature.software.whiteBalance?.releases == true)
  }

  @Test func theModeOfALightEndsTheAutomaticTorch() {
    #expect(Self.plan(setting: .torchMode, by: .flashLEDMode).software.torch == false)
    #expect(Self.plan(setting: .torchLevel, by: .torchIntensity).software.isEmpty)
  }

  @Test func theIrisEndsNoMode() {
    #expect(Self.plan(setting: .iris, by: .irisAbsolute).software.isEmpty)
  }
}
