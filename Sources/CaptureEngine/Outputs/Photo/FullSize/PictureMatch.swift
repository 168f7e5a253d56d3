import Capture3A
import CaptureModel

/// Decides when pictures look again as before a switch of the format: a webcam's first pictures are dark, even where its exposure is held.
struct PictureMatch {
  /// What was measured before the switch; `nil`: it could not be measured, or cannot be compared with the new pictures.
  private let before: SettlingReading?
  /// How long to wait at most, by the frames' times.
  private let patience: Duration
  private(set) var frames = 0
  private var start: UInt64?
  private var readings: [SettlingReading] = []

  /// How far brightness may be off, as a share of the brighter picture's: sensors add up pixels in one format and not in another.
  private static let brightness = 0.1
  /// How far the shares of red and blue in the light may be off.
  private static let color = 0.02

  init(_ before: SettlingReading?, atMost patience: Duration) {
    (self.before, self.patience) = (before, patience)
  }

  /// Judges a picture. `time`: the time of its frame, in nanoseconds. Returns the provenance once frames count as looking as before; `nil`: not yet.
  mutating func observe(_ picture: Settling.Observation.Picture, at time: UInt64) -> Provenance? {
    frames += 1
    let start = start ?? time
    self.start = start
    switch picture {
    case .reading(let reading):
      if let before, Self.isAlike(before, reading) { return .observed }
      // The scene may have changed, or another format may show more of it, so steady pictures suffice.
      readings = readings.suffix(Settling.span - 1) + [reading]
      if readings.count == Settling.span,
        readings.areSteady(.init(exposure: .pictures, whiteBalance: .pictures))
      {
        return .observed
      }
    case .unmeterable:
      if frames >= Settling.span { return .assumed }
    case .unusable: break
    }
    return time < start || .nanoseconds(time - start) >= patience ? .assumed : nil
  }

  private static func isAlike(_ a: SettlingReading, _ b: SettlingReading) -> Bool {
    guard a.isBlank == b.isBlank else { return false }
    return abs(a.brightness - b.brightness) <= brightness * max(a.brightness, b.brightness)
      && abs(a.red - b.red) <= color && abs(a.blue - b.blue) <= color
  }
}
