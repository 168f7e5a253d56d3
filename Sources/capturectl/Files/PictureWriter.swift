import CaptureLoop
import CaptureSystem
import Glibc

/// Writes pictures on a queue of its own, so that a slow disk delays neither the connection nor the progress line.
actor PictureWriter {
  private let executor = QueueExecutor(label: "capturectl.files", threads: .own)
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let target: OutputTarget
  private let isRecording: Bool
  private let overwrites: Bool
  private let current = OpenFile()
  private var files = WrittenFiles()
  /// For a numbered target: the next number.
  private var number: UInt64 = 1
  /// For a timed target: the second of the last picture, and how many pictures had it.
  private var second: time_t = 0
  private var picturesInSecond = 0

  /// `isRecording`: the frames of a stream that is cut are kept; otherwise a file is complete or does not exist. `overwrites`: numbers begin at 1, and
  /// new files replace existing ones.
  init(_ target: OutputTarget, isRecording: Bool = false, overwrites: Bool = false) {
    self.target = target
    self.isRecording = isRecording
    self.overwrites = overwrites
  }

  /// Opens the file for all pictures, so that an error is known before the first one. It waits for a FIFO's reader.
  func open() throws(Failure) {
    switch target {
    case .standardOutput: current.put(.plain(try OutputFile.standardOutput()))
    case .file(let path):
      guard isRecording, Self.isRegular(path) else { return current.put(.plain(try OutputFile(path: path))) }
      let file = try RecordingFile(path: path)
      if let leftover = file.leftover {
        Terminal.printError(
          "capturectl: '\(leftover)' is of a recording that was cut, and stays; this one is '\(file.partPath)' until its end"
            .printable + "\n")
      }
      current.put(.recording(file))
    case .numbered(let name):
      if !overwrites { number = name.next() }
      _ = try OutputFile(path: name.path(number))
    case .timed(let name):
      _ = try OutputFile(path: name.path(at: TimedName.local(time(nil)), number: 1))
    }
  }

  /// Writes a picture, and returns when the kernel has it. Returns the picture's path, if it has a file of its own. `age`: the time since its capture.
  @discardableResult
  func write(_ picture: Payload, age: Duration = .zero) throws(Failure) -> String? {
    switch target {
    case .standardOutput, .file:
      try current.write(picture)
      return nil
    case .numbered(let name):
      let file = try OutputFile(path: name.path(number))
      try file.write(picture)
      if overwrites {
        try file.finish(durably: false)
        files.add(name.path(number))
      } else {
        number -= 1
        files.add(
          try file.finish {
            number += 1
            return name.path(number)
          })
      }
      number += 1
    case .timed(let name):
      let captured = time_t((Double(RealTime.nanoseconds()) / 1e9 - age / .seconds(1)).rounded(.down))
      if captured != second { (second, picturesInSecond) = (captured, 0) }
      let now = TimedName.local(captured)
      let file = try OutputFile(path: name.path(at: now, number: picturesInSecond + 1))
      try file.write(picture)
      files.add(
        try file.finish {
          picturesInSecond += 1
          return name.path(at: now, number: picturesInSecond)
        })
    }
    return files.last
  }

  /// Gives the file its name after the last picture. `isWhole`: the stream was not cut.
  func finish(isWhole: Bool = true) throws(Failure) -> WrittenFiles {
    switch current.take() {
    case .plain(let file)?:
      // An incomplete file is removed.
      if isWhole {
        try file.finish(durably: true)
        if case .file(let path) = target { files.add(path) }
      }
    case .recording(let file)?: files.add(try file.finish(isWhole: isWhole))
    case nil: break
    }
    return files
  }

  /// Removes the single file.
  func discard() { _ = current.take() }

  /// Whether the path is a regular file, or does not exist yet.
  static func isRegular(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
  }
}

/// Holds a file, since an actor's own property cannot be consumed.
private final class OpenFile {
  enum File: ~Copyable {
    case plain(OutputFile)
    case recording(RecordingFile)
  }
  private var file: File?

  func put(_ file: consuming File) { self.file = consume file }
  func take() -> File? { file.take() }

  /// Writes a picture. A file that cannot be written is removed, except for a recording's frames.
  func write(_ picture: Payload) throws(Failure) {
    switch file.take() {
    case .plain(let file)?:
      try file.write(picture)
      self.file = .plain(file)
    case .recording(var file)?:
      var failure: Failure?
      do throws(Failure) { try file.write(picture) } catch { failure = error }
      self.file = .recording(file)
      if let failure { throw failure }
    case nil: break
    }
  }
}
