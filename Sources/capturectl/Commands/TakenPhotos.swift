import Glibc
import Synchronization

/// The photos of a command that came and are written, also when a later one fails.
final class TakenPhotos: Sendable {
  private struct Taken {
    var photos: [JSON] = []
    /// Numbers of photos that are only in the scratch folder, when they were captured, and their places in the list; `nil`: they are not in it.
    var inScratch: [(number: Int, captured: time_t?, place: Int?)] = []
    var count = 0
  }
  private let taken = Mutex(Taken())

  var count: Int { taken.withLock { $0.count } }
  var photos: [JSON] { taken.withLock { $0.photos } }

  /// `photo`: `nil` if none of its files could be written. `inScratch`: its number there, if it is nowhere else. `captured`: when it was, in seconds.
  func add(_ photo: JSON?, inScratch number: Int? = nil, captured: time_t? = nil) {
    taken.withLock { taken in
      let place = photo == nil ? nil : taken.photos.count
      if let number { taken.inScratch.append((number, captured, place)) }
      if let photo { taken.photos.append(photo) }
      taken.count += 1
    }
  }

  /// Keeps what is only in the scratch folder. Returns the paths.
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

  /// Prints with `--json` the photos that there are when a later one has failed. It throws nothing, so the caller tells the error even if standard output has
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
  /// A photo that has one file, with its path.
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
