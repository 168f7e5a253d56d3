import CaptureControls
import CaptureModel
import Testing

@testable import CaptureControls
@testable import CaptureEngine

@Suite struct ChangeLedgerTests {
  private var ledger = ChangeLedger()
  private static let gain = SettingsKey.setting(.gain)
  private static let brightness = SettingsKey.control(.brightness)

  private static func applied(_ change: UInt64, reading: UInt64 = 0) -> FrameTimeline.Applied {
    FrameTimeline.Applied(change: change, reading: reading, frame: nil, provenance: .reported)
  }

  @Test mutating func aChangeIsToldOnceWithItsFrame() {
    #expect(ledger.begin() == 1 && ledger.begin() == 2)
    ledger.noteChange(2, [Self.gain], nil)
    #expect(!ledger.hasNoChanges && ledger.takeNews(of: Self.applied(1)) == nil)
    #expect(ledger.takeNews(of: Self.applied(2))?.keys == [Self.gain])
    #expect(ledger.hasNoChanges && ledger.takeNews(of: Self.applied(2)) == nil)
  }

  @Test mutating func whatWasFoundIsToldWithItsFrame() {
    #expect(ledger.noteReading([]) == 0 && ledger.hasNoReadings)
    let reading = ledger.noteReading([Self.brightness])
    #expect(reading == 1 && !ledger.hasNoReadings)
    #expect(ledger.takeNews(of: Self.applied(0, reading: reading))?.keys == [Self.brightness])
    #expect(ledger.hasNoReadings)
  }

  @Test mutating func onlyWhatIsNewIsNews() {
    var settings = CameraSettings()
    #expect(ledger.noteNews(in: settings) == [])
    settings.zoom = CameraSettings.Zoom(factor: Observed(2, .reported), kind: .digital)
    #expect(ledger.noteNews(in: settings).contains(.setting(.zoomFactor)))
    #expect(ledger.noteNews(in: settings) == [])
  }

  /// What a change left is told with the change, and not once more.
  @Test mutating func whatAChangeLeftIsNoNews() {
    var settings = CameraSettings()
    _ = ledger.noteNews(in: settings)
    settings.zoom = CameraSettings.Zoom(factor: Observed(2, .reported), kind: .digital)
    ledger.noteChange(ledger.begin(), [.setting(.zoomFactor)], settings)
    #expect(ledger.lastReported == settings && ledger.noteNews(in: settings) == [])
    // The camera is gone: watchers still know the former settings.
    ledger.noteChange(ledger.begin(), [Self.gain], nil)
    #expect(ledger.lastReported == settings)
  }

  @Test mutating func whoSetSomethingLastIsItsAuthor() {
    ledger.noteSetter(of: [Self.gain, Self.brightness], by: 1)
    ledger.noteSetter(of: [Self.gain], by: 2)
    #expect(ledger.keys([Self.gain, Self.brightness], lastSetBy: 1) == [Self.brightness])
  }

  @Test mutating func whatWaitedWhenACameraWentIsToldOnceItIsBack() {
    ledger.noteChange(ledger.begin(), [Self.gain], nil)
    _ = ledger.noteReading([Self.brightness])
    ledger.cameraVanished()
    #expect(ledger.hasNoChanges && ledger.hasNoReadings && ledger.lastChange == 1)
    #expect(ledger.takeUnreported() == [Self.gain, Self.brightness] && ledger.takeUnreported() == [])
  }
}
