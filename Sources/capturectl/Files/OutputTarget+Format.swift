import CaptureClient

extension OutputTarget {
  /// File extensions that promise another format than the pictures have.
  private static let foreign: [String: String] = [
    "png": "a PNG", "tif": "a TIFF", "tiff": "a TIFF", "gif": "a GIF", "bmp": "a BMP", "webp": "a WebP",
    "heic": "a HEIF", "heif": "a HEIF", "avif": "an AVIF", "jxl": "a JPEG XL", "dng": "a DNG",
    "ppm": "a PPM", "pgm": "a PGM", "mp4": "an MP4", "m4v": "an MP4", "mov": "a QuickTime movie",
    "mkv": "a Matroska file", "webm": "a WebM file", "avi": "an AVI",
  ]

  /// Throws where a file's name promises another format than a stream's frames have, and says what is possible. `offered`: the camera's
  /// formats. Raw frames have one of these if the request names none.
  func requireName(forFramesOf request: VideoRequest, from offered: [PixelFormat] = []) throws(Failure) {
    let namesNoFormat = request.encoding == .raw && request.pixelFormat == nil
    let givesJPEGs = namesNoFormat && promisesJPEGs && !offered.isEmpty && offered.allSatisfy(\.isJPEG)
    try requireName(
      areJPEGs: request.encoding == .jpeg || request.pixelFormat?.isJPEG == true || givesJPEGs)
    guard request.encoding == .raw, let format = request.pixelFormat, let (path, end) = nameAndExtension,
      let promised = PixelTarget(word: end == "gray" ? "grey" : end), promised.pixelFormat != format
    else { return }
    throw Failure(
      "'\(path)' would not be \(promised.word), but \(PixelTarget(format)?.word ?? "\(format)"); take --format \(promised.word), or name the file .raw"
    )
  }

  /// The types of a photo's files: those that are asked for, else the one that the name promises, else a JPEG. Throws where a name promises another
  /// type than the only one that is asked for, or a type that no photo has.
  func photoTypes(asked: [PhotoFileType]?) throws(Failure) -> [PhotoFileType] {
    guard let (path, end) = nameAndExtension else { return asked ?? [.jpeg] }
    let promised = Self.photoType(ofExtension: end)
    if asked == nil, let promised { return [promised] }
    if let asked, asked.count == 1, let promised, promised != asked[0] {
      throw Failure(
        "'\(path)' would not be \(Self.article(promised)); name the file .\(asked[0].fileExtension), or take --format \(promised.rawValue)"
      )
    }
    if promised == nil, (asked ?? []).count < 2, let other = Self.promise(ofExtension: end) {
      throw Failure("'\(path)' would not be \(other); a photo is .jpg, .png, .dng or .raw")
    }
    return asked ?? [.jpeg]
  }

  /// Throws where a file's name promises another type than the one that the file will have. `what`: the file, as in "a preview".
  func requireName(of what: String, as type: PhotoFileType) throws(Failure) {
    guard let (path, end) = nameAndExtension, Self.photoType(ofExtension: end) != type,
      let other = Self.promise(ofExtension: end)
    else { return }
    throw Failure(
      "'\(path)' would not be \(other); \(what) is \(Self.article(type)): name the file .\(type.fileExtension)"
    )
  }

  /// The places of a photo's files. A single type has this place. Where there are several types, each has this place with its own extension, which
  /// replaces the extension of a photo's file that the place has already.
  func places(of types: [PhotoFileType]) throws(Failure) -> [OutputTarget] {
    guard types.count > 1 else { return [self] }
    guard self != .standardOutput else {
      throw Failure("standard output takes one file; name one with --output, or one format")
    }
    return types.map { with(ending: $0.fileExtension) }
  }

  private func with(ending: String) -> OutputTarget {
    switch self {
    case .standardOutput: self
    case .file(let path): .file(Self.replacing(path, ending))
    case .numbered(var name):
      .numbered(
        {
          name.suffix = Self.replacing(name.suffix, ending)
          return name
        }())
    case .timed(let name): .timed(name.mapLast { Self.replacing($0, ending) })
    }
  }

  private static func replacing(_ path: String, _ ending: String) -> String {
    let name = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    guard let dot = path[name...].lastIndex(of: "."),
      photoType(ofExtension: path[path.index(after: dot)...].lowercased()) != nil
    else { return "\(path).\(ending)" }
    return "\(path[..<dot]).\(ending)"
  }

  private static func photoType(ofExtension end: String) -> PhotoFileType? {
    switch end {
    case "jpg", "jpeg", "jpe": .jpeg
    case "png": .png
    case "dng": .dng
    case "raw", "yuv", "bayer": .raw
    default: nil
    }
  }

  /// The format that a name with that extension promises: "a PNG"; `nil`: none.
  private static func promise(ofExtension end: String) -> String? {
    photoType(ofExtension: end).map(article) ?? foreign[end]
      ?? PixelTarget(word: end).map { "bare \($0.word) pixels" }
  }

  /// "a PNG"
  private static func article(_ type: PhotoFileType) -> String {
    type == .raw ? "raw" : type == .jpeg ? "a JPEG" : foreign[type.rawValue]!
  }

  private func requireName(areJPEGs: Bool) throws(Failure) {
    guard let (path, end) = nameAndExtension else { return }
    let isJPEG = promisesJPEGs
    let isRaw =
      ["raw", "yuv", "rgb", "gray", "bayer"].contains(end) || PixelTarget(word: end) != nil
    let isForeign = Self.foreign[end] != nil
    guard isForeign || isJPEG && !areJPEGs || isRaw && areJPEGs else { return }
    let promise = Self.foreign[end] ?? (isRaw ? "raw" : "a JPEG")
    let advice =
      areJPEGs
      ? "frames are JPEGs, one after the other in one file, or each in its own: name the file .mjpeg or "
        + "%06d.jpg, or take raw ones with --format"
      : "raw frames are bare pixels: name the file .yuv or .raw, or take JPEGs with --format jpeg, or MJPG where the camera has that"
    throw Failure("'\(path)' would not be \(promise); \(advice)")
  }

  /// Whether the name is that of a JPEG, or of several in one file.
  var promisesJPEGs: Bool {
    nameAndExtension.map { ["jpg", "jpeg", "jpe", "mjpeg", "mjpg"].contains($0.1) } ?? false
  }

  /// The given name, with a number or a time where it has a place for one, and its extension in lower case.
  private var nameAndExtension: (String, String)? {
    let path: String
    switch self {
    case .standardOutput: return nil
    case .file(let name): path = name
    case .numbered(let name): path = name.path(1)
    case .timed(let name): path = name.path(at: TimedName.local(0), number: 1)
    }
    // The name of a device promises no format.
    guard !path.hasPrefix("/dev/") else { return nil }
    let name = path.split(separator: "/").last.map(String.init) ?? ""
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return nil }
    return (path, name[name.index(after: dot)...].lowercased())
  }
}
