import Testing

@testable import CaptureModel

@Suite struct SettingPlaceTests {
  /// Tables by setting have one place for each.
  @Test func theyAreNumberedInOrder() {
    #expect(Setting.allCases.map(\.place) == Array(Setting.allCases.indices))
  }
}
