import CaptureSystem

/// Writes pictures on a queue of its own, so that a slow disk holds up neither the connection nor the progress line.
actor PictureWriter {
  private let executor = QueueExecutor(label: "capturectl.files", threads: .own)
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let target: OutputTarget
  private let current = OpenFile()
  private var count: UInt64 = 0

  init(_ target: OutputTarget) { self.target = target }

  /// Opens what all pictures go to, so that a place that cannot be written is known before the first. Waits for a FIFO's reader.
  func open() throws(Failure) {
    switch target {
    case .standardOutput: current.put(try OutputFile.standardOutput())
    case .file(let path): current.put(try OutputFile(path: path))
    case .numbered: _ = try OutputFile(path: target.path(ofPicture: 1))
    }
  }

  /// Returns when the picture is with the kernel.
  func write(_ picture: Payload) throws(Failure) {
    count += 1
    guard case .numbered = target else { return try current.write(picture) }
    let file = try OutputFile(path: target.path(ofPicture: count))
    try file.write(picture)
    try file.finish(durably: false)
  }

  /// No more pictures: the file gets its name.
  func finish() throws(Failure) { try current.take()?.finish(durably: true) }

  /// What is not whole goes away.
  func discard() { _ = current.take() }
}

/// Holds a file, as an actor's own property cannot be consumed.
private final class OpenFile {
  private var file: OutputFile?

  func put(_ file: consuming OutputFile) { self.file = consume file }
  func take() -> OutputFile? { file.take() }

  /// A file that cannot be written is gone afterwards.
  func write(_ picture: Payload) throws(Failure) {
    guard let file = file.take() else { return }
    try file.write(picture)
    self.file = consume file
  }
}
