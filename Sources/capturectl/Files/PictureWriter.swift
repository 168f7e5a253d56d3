import CaptureLoop
import CaptureSystem
import Glibc

/// Writes pictures on a queue of its own, so that a slow disk delays neither the connection nor the progress line.
actor PictureWriter {
  private let executor = QueueExecutor(label: "capturectl.files", threads: .own)
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// One for each file of a picture.
  private let places: [OutputTarget]
  private let isRecording: Bool
  /// `nil`: all pictures go into the same files.
  private var series: PictureSeries?
  private let current: [OpenFile]
  private var files = WrittenFiles()

  /// `isRecording`: the frames of a stream that is cut are kept; otherwise a file is complete or does not exist. `overwrites`: numbers begin at 1,
  /// and new files replace existing ones.
  init(_ target: OutputTarget, isRecording: Bool = false, overwrites: Bool = false) {
    self.init([target], isRecording: isRecording, overwrites: overwrites)
  }

  /// `places`: one for each file of a picture.
  init(_ places: [OutputTarget], isRecording: Bool = false, overwrites: Bool = false) {
    self.places = places
    self.isRecording = isRecording
    series = PictureSeries(places, overwrites: overwrites)
    current = places.map { _ in OpenFile() }
  }

  /// Opens the files for all pictures, so that an error is known before the first one. Waits for a FIFO's reader.
  func open() throws(Failure) {
    try series?.open()
    for (place, file) in zip(places, current) {
      switch place {
      case .standardOutput: file.put(.plain(try OutputFile.standardOutput()))
      case .file(let path): try open(path, as: file)
      case .numbered, .timed: break
      }
    }
  }

  private func open(_ path: String, as opened: OpenFile) throws(Failure) {
    guard isRecording, Self.isRegular(path) else { return opened.put(.plain(try OutputFile(path: path))) }
    let file = try RecordingFile(path: path)
    if let leftover = file.leftover {
      Terminal.printError(
        "capturectl: '\(leftover)' is of a recording that was cut, and stays; this one is '\(file.partPath)' until its end"
          .printable + "\n")
    }
    opened.put(.recording(file))
  }

  /// Writes a picture, and returns when the kernel has it. Returns the path of the picture's own file; `nil`: it has none. `captured`: as in
  /// ``write(_:captured:isLast:)``.
  @discardableResult
  func write(_ picture: Payload, captured: time_t? = nil) throws(Failure) -> String? {
    let (paths, failure) = write([picture], captured: captured)
    if let failure { throw failure }
    return paths[0]
  }

  /// Writes the files of a picture one after the other, and returns when the kernel has them. Returns the paths of the files that were written, and
  /// why the next one was not; a path is `nil` where further pictures go into the same file. `captured`: when the picture was captured, in seconds
  /// since 1970; `nil`: now. `isLast`: no picture follows, so that the files get their names.
  func write(
    _ pictures: [Payload], captured: time_t?, isLast: Bool = false
  ) -> (paths: [String?], failure: Failure?) {
    if case (let paths, let failure)? = series?.write(pictures, captured: captured ?? time(nil)) {
      for path in paths { files.add(path) }
      return (paths, failure)
    }
    var paths: [String?] = []
    for (index, picture) in zip(places.indices, pictures) {
      do throws(Failure) {
        try current[index].write(picture)
        paths.append(isLast ? try finish(index, isWhole: true) : nil)
      } catch {
        return (paths, error)
      }
    }
    return (paths, nil)
  }

  /// Gives the files their names after the last picture. `isWhole`: the stream was not cut.
  func finish(isWhole: Bool = true) throws(Failure) -> WrittenFiles {
    for index in places.indices { _ = try finish(index, isWhole: isWhole) }
    return files
  }

  /// Gives a file its name. Returns its path; `nil`: it has none.
  private func finish(_ index: Int, isWhole: Bool) throws(Failure) -> String? {
    switch current[index].take() {
    case .plain(let file)?:
      // An incomplete file is removed.
      guard isWhole else { return nil }
      try file.finish(durably: true)
      guard case .file(let path) = places[index] else { return nil }
      files.add(path)
      return path
    case .recording(let file)?:
      files.add(try file.finish(isWhole: isWhole))
      return files.last
    case nil: return nil
    }
  }

  /// Removes files that have no name yet.
  func discard() { for file in current { _ = file.take() } }

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

  /// Writes a picture. A file that cannot be written is removed, except for a recording, whose frames stay.
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
