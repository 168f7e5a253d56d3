import CaptureClient
import CaptureOptions

/// What a command works with: its arguments and its node.
struct CommandContext: Sendable {
  var arguments: Arguments
  var node: RemoteNode

  /// CAMERA, as it was typed. Only for commands whose table has it.
  var camera: String { arguments[Options.camera]! }

  /// The output that --session names, or else CAMERA. Only for commands whose table has both.
  var source: PictureSource { arguments[Options.sessionSource] ?? .camera(camera) }

  /// With `--wait`, the first frame that has a change.
  func applied(_ change: UInt64) async throws -> RemoteAppliedChange? {
    guard arguments[Options.wait] else { return nil }
    return try await node.awaitChange(change, of: camera)
  }

  /// The frame of a change, for a person.
  func text(_ applied: RemoteAppliedChange?) async -> String {
    guard let applied else { return "" }
    var time: UInt64?
    if let frame = applied.frame, frame.timestampNs > 0 {
      time = try? await node.localTime(ofNode: frame.timestampNs)
    }
    return capturectl.text(applied, at: time)
  }

  /// Prints the document with `--json`, and otherwise the text.
  func print(_ json: @autoclosure () -> JSON, text: @autoclosure () -> String) throws(Failure) {
    try Terminal.print(arguments[Options.json] ? "\(json())\n" : text().printableLines)
  }

  /// Prints as ``print(_:text:)`` does, but to standard error where the pictures go to standard output.
  func report(
    _ json: @autoclosure () -> JSON, text: @autoclosure () -> String, besides target: OutputTarget?
  ) throws(Failure) {
    guard target == .standardOutput else { return try print(json(), text: text()) }
    Terminal.printError(arguments[Options.json] ? "\(json())\n" : text().printableLines)
  }
}
