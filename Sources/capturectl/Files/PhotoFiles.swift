import CaptureClient

/// The files of a photo, and of its preview. A name that is known before the photo is tried then; each file is there as a whole or not at all.
actor PhotoFiles {
  private let places: [OutputTarget]
  private var writers: [PictureWriter]
  private let preview: PictureWriter?

  /// `preview`: the place of its file; `nil`: there is none.
  init(_ places: [OutputTarget], preview: OutputTarget?) {
    self.places = places
    writers = places.contains(where: \.hasPatterns) ? [] : places.map { PictureWriter($0) }
    self.preview = preview.map { PictureWriter($0) }
  }

  /// Opens the files, so that an error is known before the photo is taken.
  func open() async throws {
    for writer in writers { try await writer.open() }
    try await preview?.open()
  }

  /// Writes the preview, which has its name at once.
  func write(preview photo: CapturedPhoto) async throws {
    try await preview?.write(photo.payload)
    _ = try await preview?.finish()
  }

  /// Writes the photo's files one after the other. Returns the paths of those that are there (`nil`: standard output), and why the next one is not.
  /// `camera`: its name, where the photo does not tell it. `age`: the time since the photo's capture.
  func write(
    _ photos: [CapturedPhoto], of camera: String, age: Duration
  ) async -> (paths: [String?], failure: (any Error)?) {
    var paths: [String?] = []
    do {
      if writers.isEmpty {
        let name = photos.lazy.compactMap(\.metadata).first?.camera.rawValue ?? camera
        writers = places.map {
          PictureWriter($0.filled(camera: name, sequence: photos[0].info.sequence))
        }
        for writer in writers { try await writer.open() }
      }
      for (photo, writer) in zip(photos, writers) {
        try await writer.write(photo.payload, age: age)
        paths.append(try await writer.finish().first)
      }
      return (paths, nil)
    } catch {
      return (paths, error)
    }
  }

  /// Removes what is not complete.
  func discard() async {
    for writer in writers + [preview].compactMap({ $0 }) { await writer.discard() }
  }
}
