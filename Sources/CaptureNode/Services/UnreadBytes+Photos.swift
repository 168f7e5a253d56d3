import CaptureEngine
import CaptureModel
import CaptureWire

/// What photos take while they wait for their clients.
extension UnreadBytes {
  /// The room of a photo and of the events that tell of it.
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
  /// The bytes of its largest file.
  var largestFile: Int { files.reduce(0) { max($0, $1.picture.payload.count) } }

  fileprivate var bytes: Int { files.reduce(0) { $0 + $1.picture.payload.count } }
}

extension PhotoEvent {
  /// About what an event has besides its data, in bytes.
  static let bytesOfDescription = 1_000
}

extension [PhotoEvent] {
  /// The bytes that count while they wait for their client: data, and the descriptions of files.
  var unreadBytes: Int {
    let files = filter { $0.stage == .photo }.count
    return Self.bytesOfDescriptions(files: files) + reduce(0) { $0 + ($1.data?.count ?? 0) }
  }

  /// What is told of a photo before its files is never refused, so it counts with these, as one description.
  fileprivate static func bytesOfDescriptions(files: Int) -> Int {
    files == 0 ? 0 : (files + 1) * PhotoEvent.bytesOfDescription
  }
}
