import CaptureClient

extension OutputTarget {
  /// File extensions that promise another format than the pictures have.
  private static let foreign: [String: String] = [
    "png": "a PNG", "tif": "a TIFF", "tiff": "a TIFF", "gif": "a GIF", "bmp": "a BMP", "webp": "a WebP",
    "heic": "a HEIF", "heif": "a HEIF", "avif": "an AVIF", "jxl": "a JPEG XL", "dng": "a DNG",
    "ppm": "a PPM", "pgm": "a PGM", "mp4": "an MP4", "m4v": "an MP4", "mov": "a QuickTime movie",
    "mkv": "a Matroska file", "webm": "a WebM file", "avi": "an AVI",
  ]

  /// Throws where a file's name promises another format than a stream's frames have, and says what is possible.
  func requireName(forFramesOf request: VideoRequest) throws(Failure) {
    try requireName(
      forJPEGs: request.encoding == .jpeg || request.pixelFormat?.isJPEG == true, isStream: true)
    guard request.encoding == .raw, let format = request.pixelFormat, let (path, end) = nameAndExtension,
      let promised = PixelTarget(word: end == "gray" ? "grey" : end), promised.pixelFormat != format
    else { return }
    throw Failure(
      "'\(path)' would not be \(promised.word), but \(PixelTarget(format)?.word ?? "\(format)"); take --format \(promised.word), or name the file .raw"
    )
  }

  /// Throws where a file's name promises that a photo is not a JPEG.
  func requireNameForPhoto() throws(Failure) {
    try requireName(forJPEGs: true, isStream: false)
  }

  private func requireName(forJPEGs: Bool, isStream: Bool) throws(Failure) {
    guard let (path, end) = nameAndExtension else { return }
    let isJPEG = ["jpg", "jpeg", "jpe", "mjpeg", "mjpg"].contains(end)
    let isRaw =
      ["raw", "yuv", "rgb", "gray", "bayer"].contains(end) || PixelTarget(word: end) != nil
    let isForeign = Self.foreign[end] != nil
    guard isForeign || isJPEG && !forJPEGs || isRaw && forJPEGs else { return }
    let promise = Self.foreign[end] ?? (isRaw ? "raw" : "a JPEG")
    let way =
      switch (forJPEGs, isStream) {
      case (false, _):
        "raw frames are bare pixels: name the file .yuv or .raw, or leave out --format"
      case (true, false): "photos are JPEGs: name the file .jpg"
      case (true, true):
        "frames are JPEGs, one behind the other or each in a file of its own: name the file .mjpeg or "
          + "%06d.jpg, or take raw ones with --format"
      }
    throw Failure("'\(path)' would not be \(promise); \(way)")
  }

  /// The given name, nearly as it is, and its extension in lower case.
  private var nameAndExtension: (String, String)? {
    let path: String
    switch self {
    case .standardOutput: return nil
    case .file(let name): path = name
    case .numbered(let name): path = name.path(1)
    case .timed(let name): path = name.path(at: TimedName.local(0), number: 1)
    }
    // A device is not a file with a format.
    guard !path.hasPrefix("/dev/") else { return nil }
    let name = path.split(separator: "/").last.map(String.init) ?? ""
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return nil }
    return (path, name[name.index(after: dot)...].lowercased())
  }
}
