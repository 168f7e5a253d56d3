import CaptureModel
import Testing

@testable import CaptureControls

@Suite struct ModeSwitchTests {
  private static func delay(_ manual: Int, _ automatic: Int?, witness: Int) -> Int? {
    ModeSwitch.delay(
      manual: Array(repeating: manual, count: 4),
      automatic: automatic.map { Array(repeating: $0, count: 4) } ?? [1, 9, 4, 7], witness: witness)?.frames
  }

  /// Kept waiting by the switch, a value tells it exactly, however long the mode takes to begin.
  @Test func aSwitchThatKeepsItsValueWaitingIsKnownByThat() {
    #expect(Self.delay(3, 9, witness: 1) == 3)
    #expect(Self.delay(3, 3, witness: 1) == 3)
    #expect(Self.delay(3, nil, witness: 1) == 3)
  }

  @Test func aQuickerOneIsNoLaterThanItsValueNorThanTheModesFirstAct() {
    #expect(Self.delay(3, 1, witness: 3) == 1)
    #expect(Self.delay(3, 8, witness: 3) == 3)
    #expect(Self.delay(3, nil, witness: 3) == 3)
  }

  @Test func trialsThatDoNotAgreeAreNoMeasurement() {
    #expect(ModeSwitch.delay(manual: [1, 2, 3, 4], automatic: [2, 2, 2, 2], witness: 5) == nil)
    #expect(ModeSwitch.delay(manual: [], automatic: [2, 2, 2, 2], witness: 5) == nil)
  }

  @Test func aWebcamsModesAreFoundWithWhatTheyOwn() throws {
    let modes = SettingsMap(Webcam.controls).modeSwitches
    #expect(modes.map(\.control.id) == [.autoExposure, .autoWhiteBalance, .autoFocus])
    #expect(modes.map(\.manual) == [1, 0, 0] && modes.map(\.automatic) == [3, 1, 1])
    let exposure = modes[0]
    #expect(exposure.values == [.exposureAbsolute, .gain])
    var delays = ControlDelays(driver: "uvcvideo")
    #expect(exposure.witness(among: Webcam.controls, delays) == nil)
    delays.set(1, for: .gain)
    // The gain stays free.
    #expect(exposure.witness(among: Webcam.controls, delays) == nil)
    delays.set(4, for: .exposureAbsolute)
    #expect(exposure.witness(among: Webcam.controls, delays) == .exposureAbsolute)
    #expect(SettingsMap([Webcam.zoom, Webcam.gain]).modeSwitches.isEmpty)
  }
}
