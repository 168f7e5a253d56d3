import CaptureModel
import Testing

struct SettingRowTests {
  /// Each number of a group that is kept by setting.
  private static let numbers = ["focus", "exposure", "white_balance"].flatMap(Setting.numbers(of:))

  @Test func theNumbersOfTheGroupsAreKnownByTheirRows() {
    #expect(Self.numbers.contains(.iris) && Self.numbers.contains(.exposureTargetOffset))
    #expect(!Self.numbers.contains(.focusMode) && !Self.numbers.contains(.exposureBias))
  }

  @Test func aSettingIsFoundByTheNameInItsRow() {
    #expect(Set(Setting.allCases.map(\.name)).count == Setting.allCases.count)
    for setting in Setting.allCases {
      #expect(Setting(name: setting.name) == setting && setting.name.hasSuffix(setting.nameInGroup))
    }
    #expect(Setting(name: "exposure") == nil && Setting(name: "") == nil)
    #expect(Setting.iris.name == "exposure.iris" && Setting.frameDuration.name == "frame_duration")
  }

  /// A setting of a group without a case traps.
  @Test func eachSettingHasAGroupAndEachGroupASetting() {
    #expect(Set(Setting.allCases.map(\.settingGroup)) == Set(SettingGroup.allCases))
    #expect(Setting.whiteBalanceMode.settingGroup == .whiteBalance)
  }

  @Test(arguments: numbers) func aNumberThatDiffersIsNamedAndNoOther(_ setting: Setting) {
    var settings = CameraSettings()
    settings.focus = .init(mode: .locked)
    settings.exposure = .init(mode: .custom)
    settings.whiteBalance = .init(mode: .locked)
    var other = settings
    switch setting.group {
    case "focus": other.focus?.numbers[setting] = Observed(0.5, .reported)
    case "exposure": other.exposure?.numbers[setting] = Observed(0.5, .reported)
    default: other.whiteBalance?.numbers[setting] = Observed(0.5, .reported)
    }
    #expect(settings.differences(from: other) == [setting] && other.differences(from: settings) == [setting])
    #expect(settings[setting] == nil && other[setting] == Observed(0.5, .reported))
    #expect(other.differences(from: other).isEmpty)
  }

  /// Each group is compared, also one that keeps no numbers by setting.
  @Test(arguments: [
    Setting.focusMode, .exposureBias, .whiteBalanceGains, .zoomRamping, .torchLevel, .flashMode,
    .frameDuration,
  ])
  func whatDiffersIsNamedInEachGroup(_ setting: Setting) {
    var settings = CameraSettings()
    settings.focus = .init(mode: .locked)
    settings.exposure = .init(mode: .custom)
    settings.whiteBalance = .init(mode: .locked)
    settings.zoom = .init(factor: Observed(1, .reported), kind: .hardware)
    settings.torch = .init(mode: .off)
    settings.flash = .init(mode: .off)
    var other = settings
    switch setting.settingGroup {
    case .focus: other.focus?.mode = .continuous
    case .exposure: other.exposure?.bias = 1
    case .whiteBalance:
      other.whiteBalance?.gains = Observed(WhiteBalanceGains(red: 2, green: 1, blue: 1), .reported)
    case .zoom: other.zoom?.isRamping = true
    case .torch: other.torch?.level = Observed(0.5, .reported)
    case .flash: other.flash?.mode = .on
    case .frameDuration: other.frameDuration = .init()
    case .flip: Issue.record("clients set flips as controls")
    }
    #expect(settings.differences(from: other) == [setting] && other.differences(from: settings) == [setting])
  }

  @Test func eachSettingHasAPlaceInASetOfThem() {
    let all = SettingSet(Setting.allCases)
    #expect(Setting.allCases.allSatisfy(all.contains))
    var without = all
    without.remove(.verticalFlip)
    #expect(!without.contains(.verticalFlip) && without.contains(.horizontalFlip))
  }

  @Test func flipsGoByTheirControlsNames() {
    var mirrored = CameraSettings()
    mirrored.horizontalFlip = Observed(1, .reported)
    #expect(mirrored.differences(from: CameraSettings()).isEmpty)
    #expect(mirrored[.horizontalFlip]?.value == 1)
    #expect(Setting.named("flip").isEmpty)
  }

  /// What frames tell has room in them, each number in a place of its own.
  @Test func aFrameKeepsEachOfItsNumbersApart() {
    var frame = FrameSettings()
    for (index, setting) in FrameSettings.settings.enumerated() {
      frame[setting] = Observed(Double(index), .assumed)
    }
    for (index, setting) in FrameSettings.settings.enumerated() {
      #expect(frame[setting]?.value == Double(index))
    }
    var other = frame
    #expect(other == frame && other.hashValue == frame.hashValue)
    other[.verticalFlip] = nil
    #expect(other != frame)
    frame[.focusMode] = Observed(1, .reported)
    #expect(frame[.focusMode] == nil)
  }

  @Test func whatWasSetAndRemovedIsAsIfItHadNeverBeenSet() {
    var numbers = SettingKeyed<Double>()
    let never = numbers
    numbers[.gain] = 2
    #expect(numbers != never && !numbers.isEmpty)
    numbers[.gain] = nil
    #expect(numbers == never && never == numbers && numbers.isEmpty)
    #expect(numbers.hashValue == never.hashValue)
  }
}
