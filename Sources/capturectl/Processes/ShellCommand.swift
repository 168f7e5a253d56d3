import CaptureSystem

/// Runs a command with `sh` on this machine.
enum ShellCommand {
  /// Runs the command, and waits for its end. A command that fails is only reported: the next change runs it again.
  static func run(_ command: String, _ variables: [String: String]) async throws(Failure) {
    let status: ExitStatus
    do throws(Errno) {
      status = try await ChildProcess.run("/bin/sh", ["sh", "-c", command], variables: variables)
    } catch {
      throw Failure("cannot run sh: \(error)")
    }
    if !status.isSuccess { Terminal.printError("capturectl: the command ended with \(status)\n") }
  }
}
