import CaptureControls
import CaptureEngine
import CaptureModel
import CaptureNode
import Foundation
import Testing

@Suite struct NodeMemoryTests {
  static func control(_ id: UInt32, _ type: ControlType, _ flags: ControlFlags = []) -> ControlDescription {
    ControlDescription(
      id: ControlID(rawValue: id), name: "control_\(id)", label: "Control \(id)", type: type, flags: flags)
  }

  static func memory() -> NodeMemory {
    var controls = ControlMemory()
    controls.note(control(0x98_0900, .integer), .integer(-40))
    controls.note(control(0x98_0901, .boolean), .integer(1))
    controls.note(control(0x98_0902, .integer64), .integer(.max))
    controls.note(control(0x98_0903, .string), .text("Über\n\"x\""))
    controls.note(control(0x98_0904, .u8), .integers([1, 2, 3]))
    controls.note(control(0x98_0905, .compound(0x100)), .raw([0, 255]))
    var memory = NodeMemory()
    var camera = CameraMemory()
    (camera.controls, camera.gainsWereSetLast) = (controls, true)
    (camera.flash, camera.lamp) = (.auto, LampMemory(level: 0.5, brightness: 0.75))
    var night = CameraProfile()
    (night.controls, night.exposureMode, night.zoom, night.torchLevel) = (controls, .custom, 2.5, 0.5)
    (night.software, night.flash) = (software(), .on)
    night.frameDuration = .init(minimum: FrameInterval(numerator: 1, denominator: 15))
    camera.exposureMode = .locked
    var kept = SoftwareAbilities.Kept()
    (kept.focusRange, kept.bias) = (.far, 1.5)
    var now = CameraSettings()
    now.focus = .init(mode: .continuous)
    now.focus?.isSoftware = true
    now.focus?.range = .near
    now.torch = .init(mode: .auto)
    now.torch?.isSoftware = true
    camera.software = SoftwareMemory(now, kept)
    camera.profiles = ["night": night, "": CameraProfile()]
    camera.delays = [.brightness: MeasuredDelay(frames: 2, agreeing: 11, trials: 12)]
    memory.cameras = [CameraID(rawValue: "usb-1/ü"): camera]
    return memory
  }

  private static func software() -> CameraProfile.Software {
    var settings = CameraSettings()
    settings.focus = .init(mode: .continuous)
    settings.focus?.isSoftware = true
    settings.exposure = .init(mode: .custom)
    var abilities = SoftwareAbilities()
    (abilities.hasFocusPoint, abilities.hasExposurePoint) = (true, true)
    (abilities.whiteBalanceModes, abilities.torchModes) = ([.continuous], [.auto])
    abilities.kept.focusPoint = (try? NormalizedPoint(x: 0.25, y: 1)) ?? .center
    abilities.kept.focusRange = .near
    abilities.kept.bias = -1.5
    return CameraProfile.Software(settings, abilities)
  }

  @Test func anAutomaticTorchIsTakenUpAgain() throws {
    var settings = CameraSettings()
    settings.torch = .init(mode: .on)
    #expect(SoftwareMemory(settings, SoftwareAbilities.Kept()) == nil)
    settings.torch?.isSoftware = true
    #expect(SoftwareMemory(settings, SoftwareAbilities.Kept())?.request.torch == true)
    let older = #"{"version":1,"cameras":{"a":{"software":{"whiteBalance":true}}}}"#
    let memory = try JSONDecoder().decode(NodeMemory.self, from: Data(older.utf8))
    #expect(memory.cameras[CameraID(rawValue: "a")]?.software?.request.torch == nil)
  }

  @Test func aProfileOfAnOlderNodeIsOneOfControls() throws {
    let text = #"{"version":1,"cameras":{"a":{"profiles":{"x":[{"id":"0x1","name":"b","value":1}]}}}}"#
    let memory = try JSONDecoder().decode(NodeMemory.self, from: Data(text.utf8))
    let profile = try #require(memory.cameras[CameraID(rawValue: "a")]?.profiles["x"])
    #expect(profile.controls.entries.map(\.name) == ["b"])
    #expect(profile.software == nil && profile.zoom == nil && profile.frameDuration == nil)
  }

  @Test func whatTheNodesModesLookAtIsKeptWhileTheyAreOff() throws {
    var kept = SoftwareAbilities.Kept()
    #expect(SoftwareMemory(CameraSettings(), kept) == nil)
    (kept.focusPoint, kept.focusRange) = (try NormalizedPoint(x: 0.25, y: 0.5), .near)
    kept.bias = -1
    let request = try #require(SoftwareMemory(CameraSettings(), kept)).request
    #expect(request.focus?.mode == nil && request.focus?.releases == false)
    #expect(request.focus?.point == kept.focusPoint && request.focus?.range == .near)
    #expect(request.exposure?.mode == nil && request.exposure?.bias == -1)
    #expect(request.whiteBalance == nil)
  }

  /// A search that was to run once has taken over from them.
  @Test func theCamerasOwnModesComeBack() throws {
    var displaced = SettingsChange()
    displaced.focus = .init(mode: .continuous, point: .center, range: FocusRange.none)
    displaced.whiteBalance.mode = .continuous
    var kept = SoftwareAbilities.Kept()
    kept.focusPoint = try NormalizedPoint(x: 0.25, y: 0.5)
    let software = try #require(SoftwareMemory(CameraSettings(), kept, displaced: displaced))
    let data = try JSONEncoder().encode(software)
    #expect(try JSONDecoder().decode(SoftwareMemory.self, from: data) == software)
    let request = software.request
    #expect(request.focus?.releases == true && request.focus?.owed == .init(mode: .continuous))
    #expect(request.focus?.point == nil && request.exposure == nil)
    #expect(request.whiteBalance?.releases == true && request.whiteBalance?.owed == .init(mode: .continuous))
  }

  @Test func whatTheNodeDoesOtherwiseStaysWhereTheCameraHasItsOwnModeAgain() throws {
    var displaced = SettingsChange()
    displaced.focus.mode = .continuous
    displaced.whiteBalance.mode = .continuous
    var settings = CameraSettings()
    settings.torch = .init(mode: .auto)
    settings.torch?.isSoftware = true
    var software = try #require(SoftwareMemory(settings, .init(), displaced: displaced))
    var back = SettingsChange()
    back.focus.mode = .continuous
    software.noteGivenBack(back)
    #expect(software.torch == true)
    #expect(software.request.focus == nil)
    #expect(software.request.whiteBalance?.owed == .init(mode: .continuous))
  }

  @Test func whatIsWrittenIsRead() throws {
    let memory = Self.memory()
    let data = try JSONEncoder().encode(memory)
    #expect(try JSONDecoder().decode(NodeMemory.self, from: data) == memory)
  }

  @Test func theInputIsKept() throws {
    var memory = CameraMemory()
    memory.input = InputMemory(CameraInput(index: 1, name: "HDMI"))
    let data = try JSONEncoder().encode(memory)
    #expect(try JSONDecoder().decode(CameraMemory.self, from: data) == memory)
  }

  @Test(arguments: [
    "", "{", "[]", "{}", #"{"version":1,"cameras":[]}"#,
    #"{"version":1,"cameras":{"a":{"controls":[{"id":"brightness","name":"b","value":1}]}}}"#,
    #"{"version":1,"cameras":{"a":{"controls":[{"id":"0x1","name":"b","value":1.5}]}}}"#,
    #"{"version":1,"cameras":{"a":{"delays":{"0x1":{"frames":-1,"agreeing":0,"trials":0}}}}}"#,
  ])
  func whatIsNoneIsRefused(_ text: String) {
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(NodeMemory.self, from: Data(text.utf8)) }
  }

  /// A temperature sets the balances too, in the camera: what was set last has to be set again last.
  @Test func whatWasSetLastComesLast() {
    let (temperature, red) = (Self.control(0x98_091a, .integer), Self.control(0x98_090e, .integer))
    var memory = ControlMemory()
    memory.note(red, .integer(2))
    memory.note(temperature, .integer(3500))
    #expect(memory.entries.map(\.id) == [red.id, temperature.id] && memory.gainsWereSetLast == false)
    let before = memory
    memory.note(red, .integer(3))
    #expect(memory.entries.map(\.id) == [temperature.id, red.id] && memory.gainsWereSetLast == true)
    memory.restore(red.id, from: before)
    #expect(memory == before)
  }

  @Test func controlsThatActAreNotRemembered() {
    var memory = ControlMemory()
    memory.note(Self.control(1, .button), .integer(0))
    memory.note(Self.control(2, .integer, .executeOnWrite), .integer(1))
    memory.note(Self.control(3, .integer, .writeOnly), .integer(1))
    memory.note(Self.control(4, .integer, .volatile), .integer(1))
    #expect(memory.isEmpty)
  }
}
