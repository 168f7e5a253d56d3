import CaptureSystem
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

  /// Makes one JPEG of the pictures. Returns when that is done. If the task is cancelled, enfuse is ended, within a second.
  func fuse(_ pictures: [String], into result: String, log: String) async throws {
    let words = [path, "--compression=95", "--output=\(result)", "--"] + pictures
    let status: ExitStatus
    do throws(Errno) {
      status = try await ChildProcess.run(path, words, log: log)
    } catch {
      throw Failure("'\(path)' does not run: \(error)")
    }
    try Task.checkCancellation()
    guard status.isSuccess else {
      let lines = (try? SmallFile.text(of: log)) ?? ""
      let last = lines.split(separator: "\n").suffix(2).joined(separator: "; ")
      throw Failure("enfuse failed: \(last.isEmpty ? "\(status)" : last)")
    }
  }
}
