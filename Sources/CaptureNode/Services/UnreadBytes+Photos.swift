import CaptureEngine
import CaptureModel
import CaptureWire

/// The room of photos while they wait for their clients.
extension UnreadBytes {
  /// The room of a photo and of its events.
  func room(for photo: Photo) throws(CaptureError) -> Room {
    try room(for: photo.bytes + [PhotoEvent].bytesOfDescriptions(files: photo.files.count))
  }

  /// The room of some events of a photo; `nil`: they need none.
  func room(for events: [PhotoEvent]) throws(CaptureError) -> Room? {
    let bytes = events.unreadBytes
    return bytes > 0 ? try room(for: bytes) : nil
  }
}

extension Photo {
  /// The bytes of the photo's largest file.
  var largestFile: Int { files.reduce(0) { max($0, $1.picture.payload.count) } }

  fileprivate var bytes: Int { files.reduce(0) { $0 + $1.picture.payload.count } }
}

extension PhotoEvent {
  /// About how many bytes an event has besides its data.
  static let bytesOfDescription = 1_000
}

extension [PhotoEvent] {
  /// The bytes that count while the events wait for their client: their data, and the descriptions of files.
  var unreadBytes: Int {
    let files = filter { $0.stage == .photo }.count
    return Self.bytesOfDescriptions(files: files) + reduce(0) { $0 + ($1.data?.count ?? 0) }
  }

  /// The events before a photo's files are never refused, so they count together with the files, as one more description.
  fileprivate static func bytesOfDescriptions(files: Int) -> Int {
    files == 0 ? 0 : (files + 1) * PhotoEvent.bytesOfDescription
  }
}
