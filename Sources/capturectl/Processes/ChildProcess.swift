import CaptureSystem
import Dispatch
import Glibc
import Synchronization

/// Another program that this one runs and waits for.
///
/// It begins with no signal blocked and with SIGPIPE at its default, as a shell begins programs. Otherwise it would inherit the mask of a thread of
/// Dispatch's, which blocks nearly all signals, and that this program ignores SIGPIPE. Other signals that this program's parent has it ignore, as
/// `nohup` does SIGHUP, stay ignored.
final class ChildProcess: Sendable {
  private let process: pid_t
  /// Once the process is reaped, another one may get its number.
  private let isReaped = Mutex(false)

  private init(_ process: pid_t) { self.process = process }

  /// Runs the program at `path`, and returns when it has ended. If the task is cancelled, the program gets SIGTERM, and SIGKILL if it has not ended a
  /// second later: what is left to do after a signal has three seconds in all (``Interrupts``).
  /// `words`: its arguments, with its own name first. `variables`: what its environment has besides this process's, or in place of it.
  /// `log`: the file to which its output and its errors are appended, while its input is empty; `nil`: it has this process's standard streams.
  /// Throws what `posix_spawn(3)` reports.
  static func run(
    _ path: String, _ words: [String], variables: [String: String] = [:], log: String? = nil
  ) async throws(Errno) -> ExitStatus {
    let child = try ChildProcess(start(path, words, variables, log))
    return await withTaskCancellationHandler {
      await child.end()
    } onCancel: {
      child.send(SIGTERM)
      DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(1)) { child.send(SIGKILL) }
    }
  }

  private static func start(
    _ path: String, _ words: [String], _ variables: [String: String], _ log: String?
  ) throws(Errno) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let log {
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
      posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
      posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var (blocked, reset) = (sigset_t(), sigset_t())
    sigemptyset(&blocked)
    sigemptyset(&reset)
    sigaddset(&reset, SIGPIPE)
    posix_spawnattr_setsigmask(&attributes, &blocked)
    posix_spawnattr_setsigdefault(&attributes, &reset)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    var environment: [UnsafeMutablePointer<CChar>?] = variables.map { strdup("\($0)=\($1)") }
    let copies = arguments + environment
    defer { for copy in copies { free(copy) } }
    let names = variables.keys.map { "\($0)=" }
    var place = environ
    while let entry = place.pointee {
      if !names.contains(where: { strncmp(entry, $0, $0.utf8.count) == 0 }) { environment.append(entry) }
      place += 1
    }
    arguments.append(nil)
    environment.append(nil)
    var process = pid_t()
    let failure = posix_spawn(&process, path, &actions, &attributes, arguments, environment)
    guard failure == 0 else { throw Errno(rawValue: failure) }
    return process
  }

  /// Waits for the process's end.
  private func end() async -> ExitStatus {
    await withCheckedContinuation { (waiting: CheckedContinuation<ExitStatus, Never>) in
      DispatchQueue.global().async { [self] in
        var information = siginfo_t()
        while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        waiting.resume(returning: reap())
      }
    }
  }

  /// Call this only for a process that has ended: it holds the lock.
  private func reap() -> ExitStatus {
    isReaped.withLock { isReaped in
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
      isReaped = true
      return ExitStatus(rawValue: status)
    }
  }

  private func send(_ signal: Int32) {
    isReaped.withLock { isReaped in
      guard !isReaped else { return }
      kill(process, signal)
    }
  }
}
