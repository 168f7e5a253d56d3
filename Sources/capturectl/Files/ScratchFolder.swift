import CaptureSystem
import Glibc
import Synchronization

/// A temporary folder for a bracket's photos, removed at the end unless it is kept.
final class ScratchFolder: Sendable {
  private let folder: String
  private let isKept = Atomic(false)

  init() throws(Failure) {
    let place = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(place)/capturectl-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw Failure("cannot make a folder in '\(place)': \(Errno(rawValue: errno))")
    }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    guard !isKept.load(ordering: .relaxed) else { return }
    for entry in NumberedName.entries(of: folder) { unlink("\(folder)/\(entry)") }
    rmdir(folder)
  }

  func path(_ name: String) -> String { "\(folder)/\(name)" }

  /// Writes pictures to places of their own beside the target, after the command that took them has failed. Where that is not possible, as on a full
  /// disk, they stay in this folder. `captured`: when each picture was captured, in seconds since 1970. Returns the paths of all pictures.
  func keep(_ pictures: [(name: String, captured: time_t?)], beside target: OutputTarget) async -> [String] {
    let here = pictures.map { path($0.name) }
    let place: OutputTarget
    switch target {
    case .file(let path) where PictureWriter.isRegular(path): place = .numbered(.beside(path))
    case .numbered, .timed: place = target
    case .file, .standardOutput:
      isKept.store(true, ordering: .relaxed)
      return here
    }
    var paths: [String] = []
    let writer = PictureWriter(place)
    do {
      try await writer.open()
      for (file, (_, captured)) in zip(here, pictures) {
        let picture = Payload(copying: try SmallFile.bytes(of: file, upTo: 1 << 30))
        if let path = try await writer.write(picture, captured: captured) { paths.append(path) }
      }
    } catch {
      isKept.store(true, ordering: .relaxed)
    }
    return paths + here.dropFirst(paths.count)
  }
}
