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

  /// The room of a photo whose files are sent to a call that asks for them by an id; `nil`: they need none.
  func room(toResend events: [PhotoEvent]) throws(CaptureError) -> Room? {
    guard let first = events.first, events.dataBytes > 0 else { return nil }
    return try room(for: events.dataBytes, toResend: first)
  }

  /// The room of `size` bytes of the photo of this event. The error says where the photo is, if the library has it.
  func room(for size: Int, toResend event: PhotoEvent) throws(CaptureError) -> Room {
    do throws(CaptureError) { return try room(for: size) } catch {
      guard !event.assetID.isEmpty else { throw error }
      throw error.prefixed(
        "the library has the photo as \(event.assetID), and it cannot be delivered now; ask again with the same id, or fetch it from the library"
      )
    }
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
    return Self.bytesOfDescriptions(files: files) + dataBytes
  }

  /// The bytes of the events' data.
  var dataBytes: Int { reduce(0) { $0 + ($1.data?.count ?? 0) } }

  /// The events before a photo's files are never refused, so they count together with the files, as one more description.
  fileprivate static func bytesOfDescriptions(files: Int) -> Int {
    files == 0 ? 0 : (files + 1) * PhotoEvent.bytesOfDescription
  }
}
