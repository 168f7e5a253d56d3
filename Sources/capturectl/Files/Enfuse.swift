import CaptureSystem
import Dispatch
import Glibc

/// Runs `enfuse`, which makes one picture of several exposures. It is another program, which may not be installed.
struct Enfuse: Sendable {
  private let path: String

  /// Throws where `enfuse` is not on the PATH.
  init() throws(Failure) {
    let path: String = if let value = getenv("PATH") { String(cString: value) } else { "/usr/bin" }
    let folders = path.split(separator: ":")
    let places: [String] = folders.map { "\($0)/enfuse" }
    let found = places.first { (place: String) in access(place, X_OK) == 0 }
    guard let found else {
      throw Failure(
        "--fuse needs the program enfuse on this machine, and it is not on the PATH; install it ('apt install enfuse'), or leave out --fuse"
      )
    }
    self.path = found
  }

  /// Makes one JPEG of the pictures. Returns when that is done. If the task is cancelled, enfuse is killed.
  func fuse(_ pictures: [String], into result: String, log: String) async throws {
    let process = try start(pictures, into: result, log: log)
    let status = await withTaskCancellationHandler {
      await withCheckedContinuation { (waiting: CheckedContinuation<Int32, Never>) in
        DispatchQueue.global().async {
          var status: Int32 = 0
          while waitpid(process, &status, 0) < 0, errno == EINTR {}
          waiting.resume(returning: status)
        }
      }
    } onCancel: {
      // SIGTERM does not end enfuse, which inherits this program's handling of that signal.
      kill(process, SIGKILL)
    }
    try Task.checkCancellation()
    guard status == 0 else {
      let lines = (try? SmallFile.text(of: log)) ?? ""
      let last = lines.split(separator: "\n").suffix(2).joined(separator: "; ")
      throw Failure("enfuse failed\(last.isEmpty ? "" : ": \(last)")")
    }
  }

  private func start(_ pictures: [String], into result: String, log: String) throws(Failure) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
    let words = [path, "--compression=95", "--output=\(result)", "--"] + pictures
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    defer { for argument in arguments { free(argument) } }
    arguments.append(nil)
    var process = pid_t()
    let failure = posix_spawn(&process, path, &actions, nil, arguments, environ)
    guard failure == 0 else { throw Failure("'\(path)' does not run: \(Errno(rawValue: failure))") }
    return process
  }
}
