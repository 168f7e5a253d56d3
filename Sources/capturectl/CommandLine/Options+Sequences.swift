import CaptureClient
import CaptureOptions

/// The options for several photos, and for photos of another moment.
extension Options {
  static let photoTime = Option(
    "time", .photoTime,
    help:
      "The moment of the photo: 'next' is the first frame after the request, 'now' the newest of a camera that streams, -2.5 the nearest to two and a half "
      + "seconds ago, 2026-12-31T23:59:59.5Z the nearest to that time by the node's clock, past or to come. The node keeps the newest frames of a camera "
      + "that streams; 'describe' says how far they reach.",
    defaultText: "next")
  static let bracketBias = Option(
    "bracket-bias", .biases,
    help:
      "Take a photo with each of these biases, in EV from the exposure that the camera has found, or that was set: -1,0,1. Nothing is automatic "
      + "meanwhile; everything is reverted afterwards.")
  static let bracketExposure = Option(
    "bracket-exposure", .exposures,
    help:
      "Take a photo with each of these exposures: 1/50,1/25, with an ISO as 1/50@100iso, or with a gain in the driver's units as 1/50@g12."
  )
  static let bracketLens = Option(
    "bracket-lens", .lensPositions,
    help: "Take a photo with the lens at each of these positions, from 0 (nearest) to 1 (infinity): 0,0.5,1.")
  static let burst = Option(
    "burst", .positiveCount,
    help:
      "Take a photo of each of this many frames, at the camera's full rate. If the node runs out of memory for those that are on their way, the burst ends "
      + "early and says how many photos there are. No frame between them is missing.")
  static let photoCount = Option(
    "count", .positiveCount, help: "Take this many single photos, one after the other.")
  static let shot = Option(
    "shot", .shot,
    help:
      "A name for the subject, which is written into the metadata. Photos that belong together share it, also those of other cameras."
  )
  static let fuse = Flag(
    "fuse",
    help:
      "Fuse the bracket's photos into one with enfuse, on this machine. It goes to the file that --output names; where that is a name for each photo, "
      + "'fused' stands in place of the number.")
}

extension ValueType where Value == String {
  fileprivate static let shot = ValueType("NAME") { text throws(ValueError) in
    do throws(CaptureError) { try ShotName.validate(text) } catch {
      throw ValueError("is wrong: \(error.message)")
    }
    return text
  }
}

extension ValueType where Value == Int {
  fileprivate static let positiveCount = ValueType(
    "N", expectation: "a number of photos from 1 to \(NodeLimit.burstPhotos.usual)"
  ) { text in
    Int(text).flatMap { (1...NodeLimit.burstPhotos.usual).contains($0) ? $0 : nil }
  }
}

extension ValueType where Value == PhotoTime {
  fileprivate static let photoTime = ValueType(
    "now|next|-SECONDS|TIME", completion: .words(["now", "next"])
  ) { text throws(ValueError) in
    switch text {
    case "now": return .now
    case "next": return .next
    default: break
    }
    if text.first == "-", let seconds = Double(text.dropFirst()), seconds >= 0, seconds.isFinite {
      // The time in nanoseconds must fit into a 64-bit integer.
      guard seconds < 9e9 else {
        throw ValueError(
          "cannot be \(text.dropFirst().quoted) seconds ago; the node keeps the frames of a stream's last seconds"
        )
      }
      return .ago(.seconds(seconds))
    }
    guard let time = RealTime.nanoseconds(rfc3339: text) else {
      throw ValueError(
        expectation:
          "'now', 'next', seconds ago like -2.5, or a time like 2026-12-31T23:59:59Z or 2026-12-31T23:59:59+01:00",
        given: text)
    }
    return .utc(time)
  }
}

extension ValueType where Value == [BracketStep] {
  fileprivate static let biases = ValueType(
    "EV,...", expectation: "biases in EV like -1,0,1"
  ) { text in
    steps(text) { Double($0).map { .bias($0) } }
  }

  fileprivate static let lensPositions = ValueType(
    "POSITION,...", expectation: "lens positions from 0 to 1 like 0,0.5,1"
  ) { text in
    steps(text) { Double($0).flatMap { (0...1).contains($0) ? .lensPosition($0) : nil } }
  }

  fileprivate static let exposures = ValueType(
    "EXPOSURE,...", expectation: "exposures like 1/50,1/25, 1/50@100iso or 1/50@g12"
  ) { text in
    steps(text) { step in
      let parts = step.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
      guard let duration = seconds(parts[0]) else { return nil }
      guard parts.count == 2 else { return .exposure(duration: duration) }
      if parts[1].hasSuffix("iso"), let iso = Double(parts[1].dropLast(3)), iso > 0 {
        return .exposure(duration: duration, iso: iso)
      }
      guard parts[1].first == "g", let gain = Double(parts[1].dropFirst()), gain.isFinite else { return nil }
      return .exposure(duration: duration, gain: gain)
    }
  }

  private static func steps(_ text: String, _ read: (Substring) -> BracketStep?) -> [BracketStep]? {
    let steps = text.split(separator: ",", omittingEmptySubsequences: false).map(read)
    return steps.contains(nil) ? nil : steps.compactMap { $0 }
  }

  /// "1/50", "0.02"
  private static func seconds(_ text: Substring) -> Double? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Double($0) }
    let value: Double? =
      switch parts.count {
      case 1: parts[0]
      case 2: parts[0].flatMap { above in parts[1].map { above / $0 } }
      default: nil
      }
    return value.flatMap { $0 > 0 && $0.isFinite ? $0 : nil }
  }
}
