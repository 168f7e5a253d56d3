import CaptureClient
import Glibc

/// The files of a photo, and of its preview. Files whose names are known before the photo are opened before it; each file is there as a whole or not
/// at all.
actor PhotoFiles {
  private let places: [OutputTarget]
  /// `nil`: the names are known only from the photo.
  private var writer: PictureWriter?
  private let preview: PictureWriter?

  /// `preview`: the place of the preview's file; `nil`: there is no preview.
  init(_ places: [OutputTarget], preview: OutputTarget?) {
    self.places = places
    writer = places.contains(where: \.hasPatterns) ? nil : PictureWriter(places)
    self.preview = preview.map { PictureWriter($0) }
  }

  /// Opens the files, so that an error is known before the photo is taken.
  func open() async throws {
    try await writer?.open()
    try await preview?.open()
  }

  /// Writes the preview, whose file gets its name at once.
  func write(preview photo: CapturedPhoto) async throws {
    try await preview?.write(photo.payload)
    _ = try await preview?.finish()
  }

  /// Writes the photo's files one after the other. Returns the paths of the files that are complete (`nil`: standard output), and why the next one is
  /// not. `camera`: the camera's name, where the photo does not have it. `captured`: when the photo was captured, in seconds since 1970; `nil`: now.
  func write(
    _ photos: [CapturedPhoto], of camera: String, captured: time_t?
  ) async -> (paths: [String?], failure: Failure?) {
    do throws(Failure) {
      let writer = if let known = self.writer { known } else { try await named(by: photos, of: camera) }
      return await writer.write(photos.map(\.payload), captured: captured, isLast: true)
    } catch {
      return ([], error)
    }
  }

  private func named(by photos: [CapturedPhoto], of camera: String) async throws(Failure) -> PictureWriter {
    let name = photos.lazy.compactMap(\.metadata).first?.camera.rawValue ?? camera
    let writer = PictureWriter(places.map { $0.filled(camera: name, sequence: photos[0].info.sequence) })
    self.writer = writer
    try await writer.open()
    return writer
  }

  /// Removes the files that are not complete.
  func discard() async {
    await writer?.discard()
    await preview?.discard()
  }
}
