import CaptureClient
import CaptureOptions

/// What a command works with: its arguments and its node.
struct CommandContext: Sendable {
  var arguments: Arguments
  var node: RemoteNode

  /// CAMERA, as it was typed. Only for commands whose table has it.
  var camera: Camera { node.camera(arguments[Options.camera]!) }

  /// The output that --session names, or else CAMERA. Only for commands whose table has both.
  var origin: PictureOrigin { arguments[Options.sessionSource] ?? .camera(camera.name) }

  /// The time limit that was asked for; `nil`: none was, and each kind of call has its own.
  var givenTimeout: Duration? { arguments.isGiven(Options.timeout) ? arguments[Options.timeout] : nil }

  /// With `--wait`, waits until a change has settled. Ctrl-C ends only the program meanwhile: the change stays.
  func awaitSettling(_ result: SettingsResult, _ change: SettingsChange?) async throws -> Settled? {
    guard arguments[Options.wait] else { return nil }
    return try await camera.settle(
      after: result, of: change,
      within: givenTimeout ?? Camera.usualSettlingTime)
  }

  /// Runs `wait`, and returns its result. Where it has reached its time limit, returns the error, since the change stays and is printed before the
  /// error. Throws any other error.
  func catchingTimeLimit<T: Sendable>(_ wait: () async throws -> T) async throws -> Result<T, CaptureError> {
    do { return .success(try await wait()) } catch let error as CaptureError {
      guard error.code == .deadlineExceeded else { throw error }
      return .failure(error)
    }
  }

  /// The first frame of a change, for a person.
  func text(_ change: UInt64, _ frame: AppliedChange.Position?, _ provenance: Provenance) async -> String {
    var time: UInt64?
    if let frame, frame.timestamp > 0 { time = try? await node.localTime(ofNode: frame.timestamp) }
    return frameText(change, frame, provenance, at: time)
  }

  /// Prints the document with `--json`, and otherwise the text.
  func print(_ json: @autoclosure () -> JSON, text: @autoclosure () -> String) throws(Failure) {
    try Terminal.print(arguments[Options.json] ? "\(json())\n" : text().printableLines)
  }

  /// Prints with `--json` what was done before a failure, with the reason. It throws nothing, so that the caller reports the error even if standard
  /// output has no reader.
  func printDone(_ json: JSON, before error: any Error) {
    guard arguments[Options.json], (error as? Failure)?.isQuiet != true else { return }
    try? Terminal.print("\(json.adding(["error": explain(error)]))\n")
  }

  /// Prints a document on a line, to standard error where the pictures go to standard output.
  func printLine(_ json: JSON, besides target: OutputTarget?) throws(Failure) {
    if target == .standardOutput { Terminal.printError("\(json)\n") } else { try Terminal.print("\(json)\n") }
  }

  /// Prints as ``print(_:text:)`` does, but to standard error where the pictures go to standard output.
  func report(
    _ json: @autoclosure () -> JSON, text: @autoclosure () -> String, besides target: OutputTarget?
  ) throws(Failure) {
    guard target == .standardOutput else { return try print(json(), text: text()) }
    Terminal.printError(arguments[Options.json] ? "\(json())\n" : text().printableLines)
  }
}
