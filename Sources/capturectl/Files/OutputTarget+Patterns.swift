import CaptureClient

/// Names with parts that are known only from the photo: "{camera}-{sequence}.jpg".
extension OutputTarget {
  /// Whether the name is known only when the photo is there.
  var hasPatterns: Bool { filled(camera: "", sequence: 0) != self }

  /// The name for a photo. The camera's name is put in without slashes, and neither as "." nor as "..", so that the file stays in its folder.
  func filled(camera: String, sequence: UInt64) -> OutputTarget {
    func fill(_ text: String) -> String {
      // The name is changed by scalars, not by characters: a slash with an accent is one character, and still a slash to the kernel.
      var safe = String.UnicodeScalarView()
      let isFolder = camera == "." || camera == ".."
      safe.append(contentsOf: camera.unicodeScalars.map { $0 == "/" || isFolder ? "-" : $0 })
      return text.replacing("{camera}", with: String(safe)).replacing("{sequence}", with: "\(sequence)")
    }
    switch self {
    case .standardOutput: return self
    case .file(let path): return .file(fill(path))
    case .numbered(var name):
      (name.prefix, name.suffix) = (fill(name.prefix), fill(name.suffix))
      return .numbered(name)
    case .timed(let name): return .timed(name.mapTexts(fill))
    }
  }
}
