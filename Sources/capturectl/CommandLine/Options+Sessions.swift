import CaptureClient
import CaptureOptions

extension Options {
  static let session = Positional(
    .text("SESSION", completion: .names(.sessions)),
    help: "A session's name, as 'session list' shows it.")
  static let sessionNames = Flag("names", help: "Print names only, one a line.")

  /// An option of stream and photo.
  static let sessionSource = Option(
    "session", .sessionSource,
    help: "Instead of CAMERA: a session and, if it has several outputs, one of them: door/video.")
  static let cameraOrSession = Positional(
    .text("CAMERA", completion: .names(.cameras)), unless: sessionSource,
    help: "A camera's identity, a part of it that no other has, or its index, as 'devices' shows them.")

  static let input = Option(
    "input", .text("CAMERA", completion: .names(.cameras)),
    help: "A camera of the session. Given several times, they run together.", isRepeatable: true)
  static let preset = Option(
    "preset", .preset, help: "The preset of its cameras. A new session has 'high'.")
  static let sessionFormat = Option(
    "format", .pixelFormat,
    help: "Instead of a preset: the four characters of the cameras' pixel format, as 'formats' shows them.")
  static let sessionSize = Option(
    "size", .frameSize, help: "Instead of a preset: the cameras' width and height in pixels.")
  static let sessionRate = Option(
    "rate", .rate, help: "Instead of a preset: the cameras' rate in frames a second: 15, 29.97 or 30000/1001."
  )
  static let video = Option(
    "video", .output,
    help:
      "An output for live frames and, if it is not the first one, its camera: left=0. A new session has 'video'.",
    isRepeatable: true)
  static let stills = Option(
    "photo", .output, help: "An output for photos, written in the same way. A new session has 'photo'.",
    isRepeatable: true)
  static let orientation = Option(
    "orientation", .choice("0|90|180|270", ["0", "90", "180", "270"]),
    help: "Turn pictures clockwise by this many degrees.")
  static let mirror = Flag("mirror", help: "Mirror pictures left to right, after turning them.")
  static let noMirror = Flag("no-mirror", help: "Stop mirroring pictures.")
  static let cropFactor = Option(
    "crop-factor", .cropFactor, help: "Show the middle of the picture, enlarged this many times.")
  static let disable = Flag("disable", help: "Stop sending pictures to the output.")
  static let enable = Flag("enable", help: "Send pictures to the output again.")
  static let only = Option(
    "only", .text("OUTPUT", completion: .names(.outputs)),
    help:
      "Turn, mirror, crop, enable or disable only this output's pictures. Without it: those of all outputs.")
  static let start = Flag("start", help: "Start the session in the same step.")
  static let dryRun = Flag(
    "dry-run", help: "Change nothing; show the session as it would be, or the reason why that is impossible.")
}

extension ValueType where Value == PictureOrigin {
  static let sessionSource = ValueType(
    "SESSION[/OUTPUT]", expectation: "a session's name, and perhaps / and an output's",
    completion: .names(.sources)
  ) { text in
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty }) else { return nil }
    return .session(parts[0], output: parts.count == 2 ? parts[1] : nil)
  }
}

extension ValueType where Value == SessionPreset {
  static let preset = ValueType(
    "PRESET", expectation: SessionPreset.allCases.map(\.name).joined(separator: ", "),
    completion: .words(SessionPreset.allCases.map(\.name))
  ) { SessionPreset(name: $0) }
}

extension ValueType where Value == PixelFormat {
  static let pixelFormat = ValueType(
    "FOURCC", expectation: "a format's four characters", completion: .words(["YUYV", "NV12", "MJPG"])
  ) { PixelFormat(typed: $0) }
}

extension ValueType where Value == Double {
  static let cropFactor = ValueType("1..16", expectation: "a number from 1 to 16") { text in
    Double(text).flatMap { SessionConnection.cropFactors.contains($0) ? $0 : nil }
  }
}

/// An output, as the command line names it.
struct NamedOutput: Hashable, Sendable {
  var name: String
  /// Empty: the first camera.
  var camera: String
}

extension ValueType where Value == NamedOutput {
  static let output = ValueType(
    "NAME[=CAMERA]", expectation: "an output's name, and perhaps = and its camera",
    completion: .names(.outputCameras)
  ) { text in
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.allSatisfy({ !$0.isEmpty }) else { return nil }
    return NamedOutput(name: parts[0], camera: parts.count == 2 ? parts[1] : "")
  }
}
