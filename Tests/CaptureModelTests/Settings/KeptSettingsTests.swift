import CaptureModel
import Testing

/// Copies of a camera's settings that have some groups alone.
struct KeptSettingsTests {
  /// Settings with something of each group.
  private static let whole: CameraSettings = {
    var settings = CameraSettings()
    settings.focus = .init(mode: .locked)
    settings.exposure = .init(mode: .custom)
    settings.whiteBalance = .init(mode: .locked)
    settings.zoom = .init(factor: Observed(1, .reported), kind: .hardware)
    settings.torch = .init(mode: .off)
    settings.flash = .init(mode: .off)
    settings.frameDuration = .init()
    settings.horizontalFlip = Observed(1, .reported)
    settings.verticalFlip = Observed(0, .reported)
    return settings
  }()

  @Test func eachGroupIsKeptOrNot() {
    #expect(Self.whole.keeping({ _ in true }) == Self.whole)
    #expect(Self.whole.keeping({ _ in false }) == CameraSettings())
  }

  @Test(arguments: SettingGroup.allCases) func aGroupIsKeptAlone(_ group: SettingGroup) {
    let kept = Self.whole.keeping { $0 == group.name }
    #expect(kept != CameraSettings())
    #expect(kept.keeping({ $0 != group.name }) == CameraSettings())
  }
}
