import CaptureSystem
import Glibc

/// A stream that is being recorded into a regular file: "clip.part" while it goes on, "clip" at its end.
///
/// It holds whole frames only, whenever and however the recording ends; one that got none leaves nothing. "clip.part" is locked
/// (`flock(2)`) as long as somebody writes it, so that a second recording does not take its place, and so that one that is left of a recording that
/// was killed is told from one that goes on.
struct RecordingFile: ~Copyable {
  /// What became of it.
  enum Outcome: Equatable {
    /// No frame came, and nothing is left.
    case nothing
    case kept(path: String)
    /// The file that was there before stays; the frames are in the other one.
    case beside(path: String)
  }

  /// As the person named it.
  private let name: String
  private let final: String
  /// The final name's file was there before.
  private let replaces: Bool
  private let part: RecordingPart
  /// Bytes of whole frames.
  private var length = 0
  private let cutter: TornFrameCutter?

  /// The "clip.part" of an earlier recording that was cut, which stays; this one has another name until its end.
  var leftover: String? { part.leftover }
  var partPath: String { part.path }

  /// `path`: of a regular file, or of none yet.
  init(path: String) throws(Failure) {
    name = path
    var status = stat()
    replaces = stat(path, &status) == 0
    let reason = replaces ? 0 : errno
    final = OutputFile.resolved(path)
    do throws(Errno) {
      if !replaces, reason != ENOENT { throw Errno(rawValue: reason) }
      part = try RecordingPart(of: final)
    } catch {
      guard error.rawValue == EBUSY else { throw Failure("cannot write '\(path)': \(error)") }
      throw Failure(
        "cannot write '\(path)': another program records into it just now; name another file with --output")
    }
    if replaces { fchmod(part.descriptor.raw, status.st_mode & 0o777) }
    cutter = TornFrameCutter(of: part.descriptor)
  }

  deinit {
    cutter?.dismiss()
    if length == 0 { unlink(part.path) }
  }

  /// Adds a frame, or nothing of it.
  mutating func write(_ payload: Payload) throws(Failure) {
    do throws(Errno) {
      try part.descriptor.write(payload)
    } catch {
      ftruncate(part.descriptor.raw, length)
      throw Failure("cannot write '\(name)': \(error)")
    }
    length += payload.count
    cutter?.wholeFrames(length)
  }

  /// Gives it its name. One that was cut (not `isWhole`) takes no other file's.
  consuming func finish(isWhole: Bool) throws(Failure) -> Outcome {
    guard length > 0 else { return .nothing }
    cutter?.dismiss()
    do throws(Errno) {
      _ = try retryingInterrupts { fsync(part.descriptor.raw) }
      if isWhole, replaces {
        _ = try retryingInterrupts { rename(part.path, final) }
      } else {
        try renameReplacingNothing(part.path, to: final)
      }
      return .kept(path: name)
    } catch {
      if error.rawValue == EEXIST, !isWhole { return .beside(path: part.path) }
      let reason =
        error.rawValue == EEXIST ? "another program has made one meanwhile, which stays" : "\(error)"
      throw Failure("cannot write '\(name)': \(reason); the recording is in '\(part.path)'")
    }
  }
}
