/// The files that were written, for messages.
struct WrittenFiles: Equatable, Sendable {
  private(set) var first: String?
  private(set) var last: String?
  private(set) var count = 0
  /// Whether the file that was to be written already existed and stays as it was.
  private(set) var isBeside = false

  mutating func add(_ path: String) {
    first = first ?? path
    last = path
    count += 1
  }

  mutating func add(_ outcome: RecordingFile.Outcome) {
    switch outcome {
    case .nothing: break
    case .kept(let path): add(path)
    case .beside(let path):
      add(path)
      isBeside = true
    }
  }

  /// "'clip'", "'f1.jpg' to 'f9.jpg'"; `nil`: no file was written.
  var text: String? {
    guard let first, let last else { return nil }
    return count == 1 ? "'\(first)'" : "'\(first)' to '\(last)'"
  }
}
