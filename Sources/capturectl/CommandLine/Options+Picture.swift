import CaptureClient
import CaptureOptions

/// The options for a picture, besides its size and encoding.
extension Options {
  static let gravity = Option(
    "gravity", .choice("aspect|fill|resize", VideoGravity.words.map(\.word)),
    help:
      "How a picture of another shape fills --size: 'aspect' is the largest that fits in, 'fill' has exactly that size and is cut at the edges, "
      + "'resize' is distorted to it. Without it only sizes of the picture's own shape are possible.")
  static let crop = Option(
    "crop", .region,
    help:
      "Keep only this part of the picture, before it is turned: left, top, width, height, each from 0 to 1. 0.25,0.25,0.5,0.5 is "
      + "the middle. A part with equal width and height is enlarged to the picture's size unless --size is given; any other keeps its pixels. "
      + "Edges are rounded to even pixels.")
  static let photoFlash = Option(
    "flash", .choice("off|on|auto", ["off", "on", "auto"]),
    help: "The flash for this photo, whatever the camera's flash mode is.")
  static let photoFormat = Option(
    "format", .photoTypes,
    help:
      "The files that are made of the one frame: jpeg, png, dng and raw, with commas between them. A DNG has the samples of a Bayer sensor; raw is the camera's "
      + "bytes. --size, --crop and --quality are for jpeg and png. (default: what the name of --output ends in, else jpeg)"
  )
  static let keptFormat = Option(
    "format", .photoTypes,
    help: "The files that the library has of each photo: jpeg, png and dng, with commas between them.",
    defaultText: "jpeg")
  static let thumbnail = Flag(
    "thumbnail", help: "Put a small JPEG, at most 160x160, into the photo's EXIF, for lists of photos.")
  static let preview = Option(
    "preview", .file(),
    help:
      "Write a small JPEG of the photo, within --preview-size, into this file before the photo comes; - is standard output."
  )
  static let previewSize = Option(
    "preview-size", .frameSize, help: "The size into which the preview fits. (default: 640x480)")
  static let orientationMethod = Option(
    "orientation-method",
    .choice("lossless|encoded|flag", OrientationMethod.allCases.map(\.rawValue)),
    help:
      "How --orientation and --mirror are done. 'lossless' moves the blocks of a camera's own JPEG, and is refused if that is impossible; 'encoded' decodes it and "
      + "encodes it again; 'flag' leaves the pixels, and says in EXIF how to turn them. Without this option a photo is turned without loss if that is possible, and otherwise encoded again."
  )
  static let fullSize = Option(
    "full-size", .choice("stream|switch|big", FullSize.allCases.map(\.rawValue)),
    help:
      "What becomes of a stream that is smaller than the photo. 'stream' does not disturb it: the photo is one of its frames. 'switch' takes the photo at full size, or at "
      + "--size; viewers have no frames for some tenths of a second. 'big' keeps the camera at that size until ten seconds after the last such photo; viewers get "
      + "frames made of the larger ones. (default: stream)")
  static let tag = Option(
    "tag", .photoTag,
    help: "A text for the photo's EXIF: \(PhotoTag.names.joined(separator: ", ")).", isRepeatable: true)
  static let noMetadata = Flag(
    "no-metadata",
    help:
      "Write no EXIF and no XMP into the photo. A camera's own JPEG stays as it is, with its own EXIF and XMP."
  )
}

extension VideoRequest {
  /// The request, with the options for a picture.
  func withPictureOptions(of arguments: Arguments) -> VideoRequest {
    var request = self
    request.size = arguments[Options.size]
    request.gravity = arguments[Options.gravity].flatMap { word in
      VideoGravity.words.first { $0.word == word }?.gravity
    }
    request.transform = PictureTransform(
      crop: arguments[Options.crop] ?? .full,
      orientation: arguments[Options.orientation].flatMap { Int($0) }.flatMap(Orientation.init) ?? .upright,
      isMirrored: arguments[Options.mirror])
    return request
  }
}

extension VideoGravity {
  fileprivate static let words: [(word: String, gravity: VideoGravity)] = [
    ("aspect", .aspect), ("fill", .fill), ("resize", .resize),
  ]
}

extension ValueType where Value == (tag: PhotoTag, text: String) {
  fileprivate static let photoTag = ValueType(
    "NAME=TEXT", completion: .words(PhotoTag.names.map { "\($0)=" })
  ) { text throws(ValueError) in
    guard let equals = text.firstIndex(of: "=") else {
      throw ValueError("takes a tag and its text, like Artist=Ada; \(text.quoted) has no =")
    }
    do throws(CaptureError) {
      let tag = try PhotoTag(named: String(text[..<equals]))
      let value = String(text[text.index(after: equals)...])
      try tag.validate(value)
      return (tag, value)
    } catch {
      throw ValueError("is wrong: \(error.message)")
    }
  }
}

extension ValueType where Value == [PhotoFileType] {
  fileprivate static let photoTypes = ValueType(
    "TYPES", completion: .words(PhotoFileType.allCases.map(\.rawValue))
  ) { text throws(ValueError) in
    let names = PhotoFileType.allCases.map(\.rawValue)
    var types: [PhotoFileType] = []
    for word in text.lowercased().split(separator: ",", omittingEmptySubsequences: false) {
      guard let type = PhotoFileType(rawValue: String(word)) else {
        throw ValueError(
          "takes \(names.joined(separator: ", ")), with commas between them, not \(word.quoted)")
      }
      guard !types.contains(type) else {
        throw ValueError("names \(type.rawValue) twice; a photo has one file of each type")
      }
      types.append(type)
    }
    return types
  }
}

extension ValueType where Value == NormalizedRect {
  fileprivate static let region = ValueType(
    "X,Y,W,H", expectation: "a part of the picture like 0.25,0.25,0.5,0.5, which lies between 0 and 1"
  ) { text in
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
    guard numbers.count == 4, let x = numbers[0], let y = numbers[1], let width = numbers[2],
      let height = numbers[3]
    else { return nil }
    return try? NormalizedRect(x: x, y: y, width: width, height: height)
  }
}
