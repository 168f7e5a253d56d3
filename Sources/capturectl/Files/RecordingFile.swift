import CaptureSystem
import Glibc

/// The regular file into which a stream is recorded: "clip.part" while the stream runs, and "clip" at its end.
///
/// The file holds only whole frames, whenever and however the recording ends. A recording without a frame leaves nothing. "clip.part" is locked
/// (`flock(2)`) while it is written. So a second recording does not replace it, and the file of a recording that was killed can be distinguished from
/// one in progress.
struct RecordingFile: ~Copyable {
  /// The result of a recording.
  enum Outcome: Equatable {
    /// No frame came, and nothing is left.
    case nothing
    case kept(path: String)
    /// The former file keeps its name, and the frames are in another file.
    case beside(path: String)
  }

  /// The name that the person gave.
  private let name: String
  private let final: String
  /// Whether a file with the final name existed before.
  private let replaces: Bool
  private let part: RecordingPart
  /// The bytes of whole frames.
  private var length = 0
  private let cutter: TornFrameCutter?

  /// The "clip.part" of an earlier recording that was cut. It stays, and this recording has another name until its end.
  var leftover: String? { part.leftover }
  var partPath: String { part.path }

  /// `path`: an existing regular file, or a new one.
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
    if length == 0, hasItsName { unlink(part.path) }
  }

  /// Adds a whole frame, or nothing of it.
  mutating func write(_ payload: Payload) throws(Failure) {
    UncutWork.begin()
    defer { UncutWork.end() }
    do throws(Errno) {
      try part.descriptor.write(payload)
    } catch {
      ftruncate(part.descriptor.raw, length)
      throw Failure("cannot write '\(name)': \(error)")
    }
    length += payload.count
    cutter?.storeLength(ofWholeFrames: length)
  }

  /// Gives the file its name. A recording that was cut (not `isWhole`) replaces no other file.
  ///
  /// The name comes after the `fsync(2)`: "clip" is whole also after a power cut, and a former "clip" stays until the new one is on the disk. If the
  /// process is killed before that, all frames are in "clip.part".
  consuming func finish(isWhole: Bool) throws(Failure) -> Outcome {
    guard length > 0 else { return .nothing }
    UncutWork.begin()
    defer { UncutWork.end() }
    cutter?.dismiss()
    let synced = Result { () throws(Errno) in try retryingInterrupts { fsync(part.descriptor.raw) } }
    guard hasItsName else { throw Failure("cannot write '\(name)': \(whatBecameOfThePart)") }
    do throws(Errno) {
      _ = try synced.get()
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

  /// Whether "clip.part" is still this file, and no other that somebody has put there.
  private var hasItsName: Bool { FileIdentity.isName(part.path, of: part.descriptor.raw) }

  private var whatBecameOfThePart: String {
    let place = FileIdentity.name(of: part.descriptor.raw)
    let recording = place.map { "the recording is '\($0)' now" } ?? "the recording was removed meanwhile"
    return FileIdentity(at: part.path) == nil
      ? recording : "'\(part.path)' is another file by now, which stays; \(recording)"
  }
}
