import CaptureModel
import Testing

@testable import CaptureWire

@Suite struct SettingsMappingTests {
  @Test func provenancesHaveTheContractsNumbers() {
    let numbers: [(CaptureModel.Provenance, UInt32)] = [
      (.reported, 1), (.calibrated, 2), (.assumed, 3), (.unknown, 4), (.observed, 5),
    ]
    for (provenance, number) in numbers {
      #expect(CaptureWire.Provenance(provenance).rawValue == number)
    }
    // By certainty it is between what was measured and what is assumed.
    #expect(numbers.map(\.0).sorted() == [.reported, .calibrated, .observed, .assumed, .unknown])
  }

  @Test func whyAModeFoundNothingIsTold() {
    var settings = CaptureModel.CameraSettings()
    settings.focus = .init(mode: .locked)
    settings.exposure = .init(mode: .locked)
    settings.whiteBalance = .init(mode: .locked)
    settings.exposure?.failure = "too dark"
    let told = CaptureWire.CameraSettings(device: "a", settings)
    #expect(told.exposure?.failure == "too dark")
    #expect(told.focus?.failure == "" && told.whiteBalance?.failure == "")
    var other = settings
    other.exposure?.failure = nil
    #expect(settings.differences(from: other) == [.exposureMode])
  }
}
