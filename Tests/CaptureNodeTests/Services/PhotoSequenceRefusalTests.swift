import CaptureModel
import CaptureSynthetic
import CaptureTransport
import CaptureWire
import Testing

/// What is of one photo, and is refused with a bracket, a burst or another moment.
@Suite(.timeLimit(.minutes(1))) struct PhotoSequenceRefusalTests {
  struct Case: Sendable {
    let field: String
    let settings: CaptureWire.PhotoSettings
    let isDryRun: Bool
    let code: StatusCode

    init(
      _ field: String, isDryRun: Bool = false, code: StatusCode = .invalidArgument,
      _ change: (inout CaptureWire.PhotoSettings) -> Void
    ) {
      var settings = CaptureWire.PhotoSettings()
      change(&settings)
      (self.field, self.settings, self.isDryRun, self.code) = (field, settings, isDryRun, code)
    }
  }

  static let bracket = [CaptureWire.BracketStep(compensation: .bias(1))]
  static let cases = [
    Case("settings.preview") { ($0.preview, $0.burst) = (Size(width: 64, height: 48), 2) },
    Case("settings.preview") { ($0.preview, $0.bracket) = (Size(width: 64, height: 48), bracket) },
    Case("settings.burst", isDryRun: true) { ($0.fullSize, $0.burst) = (.switch, 2) },
    Case("settings.bracket", isDryRun: true) { ($0.fullSize, $0.bracket) = (.switch, bracket) },
    Case("settings.flash", isDryRun: true) { ($0.flash, $0.burst) = (.on, 2) },
    // Its exposure would be longer than the camera's frames.
    Case("settings.bracket[0].bias", isDryRun: true, code: .failedPrecondition) { $0.bracket = bracket },
    Case("settings.when") { ($0.when, $0.burst) = (When(kind: .now(true)), 2) },
    Case("settings.when") { ($0.when, $0.bracket) = (When(kind: .now(true)), bracket) },
    Case("settings.bracket") { ($0.fullSize, $0.bracket) = (.switch, bracket) },
    Case("settings.burst") { ($0.fullSize, $0.burst) = (.switch, 2) },
    Case("settings.when") { ($0.fullSize, $0.when) = (.switch, When(kind: .now(true))) },
    Case("settings.when") { ($0.fullSize, $0.when) = (.big, When(kind: .now(true))) },
    Case("settings.flash") { ($0.fullSize, $0.flash) = (.switch, .auto) },
    Case("settings.full_size") { $0.fullSize = CaptureWire.FullSize(rawValue: 77) },
    Case("settings.burst") { ($0.bracket, $0.burst) = (bracket, 2) },
  ]

  @Test(arguments: cases)
  func whatIsOfOnePhotoIsRefusedForSeveral(refused: Case) async throws {
    let (fixture, _) = try await Fixture.synthetic()
    let error = await status {
      let request = CapturePhotoRequest(device: "0", settings: refused.settings, dryRun: refused.isDryRun)
      for try await _ in try await fixture.photos.capture(request, options: bounded) {}
    }
    #expect(error?.code == refused.code)
    #expect(error?.details?.field == refused.field, "\(error?.text ?? "not refused")")
    await fixture.stop()
  }
}
