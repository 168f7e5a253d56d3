import Glibc
import Synchronization

/// The photos that a command has received, which it prints also when a later one fails.
final class TakenPhotos: Sendable {
  private struct Taken {
    var photos: [JSON] = []
    /// The photos that are only in the scratch folder: each one's number, when it was captured (seconds since 1970), and its place in `photos`;
    /// `nil`: it is not in `photos`.
    var inScratch: [(number: Int, captured: time_t?, place: Int?)] = []
    var count = 0
  }
  private let taken = Mutex(Taken())

  var count: Int { taken.withLock { $0.count } }
  var photos: [JSON] { taken.withLock { $0.photos } }

  /// Adds a photo. `photo`: `nil` if none of its files could be written. `inScratch`: the photo's number in the scratch folder, if it is nowhere
  /// else. `captured`: when the photo was captured, in seconds since 1970.
  func add(_ photo: JSON?, inScratch number: Int? = nil, captured: time_t? = nil) {
    taken.withLock { taken in
      let place = photo == nil ? nil : taken.photos.count
      if let number { taken.inScratch.append((number, captured, place)) }
      if let photo { taken.photos.append(photo) }
      taken.count += 1
    }
  }

  /// Keeps the photos that are only in the scratch folder. Returns their paths.
  func keep(from scratch: ScratchFolder?, beside target: OutputTarget) async -> [String] {
    let wanted = taken.withLock { $0.inScratch }
    guard let scratch, !wanted.isEmpty else { return [] }
    let paths = await scratch.keep(wanted.map { ("\($0.number).jpg", $0.captured) }, beside: target)
    taken.withLock { taken in
      for (path, wanted) in zip(paths, wanted) {
        if let place = wanted.place { taken.photos[place] = taken.photos[place].at(path) }
      }
    }
    return paths
  }

  /// Prints with `--json` the photos that came before one failed. It throws nothing, so that the caller reports the error even if standard output has
  /// no reader.
  func report(_ error: any Error, besides target: OutputTarget?, _ context: CommandContext) {
    let photos = self.photos
    guard (error as? Failure)?.isQuiet != true, !photos.isEmpty, context.arguments[Options.json] else {
      return
    }
    try? context.report(
      ["photos": photos, "fused": JSON.null, "error": explain(error)], text: "", besides: target)
  }
}

extension JSON {
  /// The document of a photo with one file, with that file's path.
  fileprivate func at(_ path: String) -> JSON {
    guard case .object(let members) = self else { return self }
    let place: JSON = ["path": path]
    return place.adding(
      .object(
        members.map { name, value in
          guard name == "files", case .array(let files) = value else { return (name, value) }
          return (name, .array(files.map { place.adding($0) }))
        }))
  }
}
