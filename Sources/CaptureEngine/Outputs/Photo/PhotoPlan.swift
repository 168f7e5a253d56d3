import CaptureControls
import CaptureImaging
import CaptureModel

/// How the files of a photo are made of a running stream's frames.
struct PhotoPlan {
  /// How one file is made.
  enum Work: Sendable {
    /// The camera's bytes.
    case untouched
    /// A JPEG, or turned or converted raw bytes.
    case picture(PictureWork)
    /// Pixels, and a PNG of them.
    case png(PixelSettings)
    /// The sensor's samples.
    case dng
  }

  struct File: Sendable {
    var type: PhotoFileType
    var work: Work
    /// How a viewer has to turn or mirror the file's pixels.
    var display = PictureTransform.identity
    /// How the node transforms the frame's pixels for the file.
    var transform = PictureTransform.identity
    /// The width and height of the file's picture, in pixels.
    var size: FrameSize
    /// How the client wants the file to be turned; `nil`: the node chooses.
    var method: OrientationMethod?
  }

  let files: [File]
  /// A small JPEG of the first file that is not raw, or else of the first file; `nil`: none.
  private(set) var preview: JPEGSettings?
  let thumbnail: FrameSize?
  /// The pixel format of the camera's frames.
  private let source: PixelFormat

  /// Throws `failedPrecondition` if the stream cannot give what a format asks for. The error names the stream's format, and who holds the stream.
  init(_ request: PhotoRequest, in stream: RunningStream) throws(CaptureError) {
    var files: [File] = []
    for (index, format) in request.formats.enumerated() {
      do throws(CaptureError) {
        files.append(try File(format, request.orientationMethod, in: stream))
      } catch {
        throw request.formats.count == 1 ? error : error.below("settings.formats[\(index)].rendition")
      }
    }
    (self.files, thumbnail, source) = (files, request.thumbnail, stream.format.pixelFormat)
    guard let box = request.preview else {
      if thumbnail != nil, !stream.isEncodable { throw stream.noSmallPicture("thumbnail") }
      return
    }
    guard stream.isEncodable else { throw stream.noSmallPicture("preview") }
    let first = files.first { !$0.type.isRaw } ?? files[0]
    preview = first.small(in: box)
  }

  /// The description of the photo for the client, before it is taken.
  func resolved(_ request: VideoRequest, flash: LightMode?) -> ResolvedPhoto {
    ResolvedPhoto(
      files: files.map { file in
        ResolvedPhoto.File(
          file.type, size: file.size, source: source,
          isReencoded: source.isJPEG && file.isEncoded && file.methodOnFrames(of: source) != .lossless,
          orientationMethod: file.methodOnFrames(of: source))
      },
      flash: flash, settling: request.settling ?? PhotoSettling.usualBound,
      thumbnail: thumbnail.map { files[0].size.fitting(in: $0) }, preview: preview?.size)
  }
}

extension PhotoPlan.File {
  /// Whether the file is a JPEG that the node makes.
  var isEncoded: Bool { if case .picture(.jpeg) = work { true } else { false } }

  /// How the file is turned or mirrored if the camera's pixel format is `source`; `nil`: it is neither.
  func methodOnFrames(of source: PixelFormat) -> OrientationMethod? {
    if display.orientation != .upright || display.isMirrored { return .flag }
    guard transform.orientation != .upright || transform.isMirrored else { return nil }
    guard source.isJPEG, case .picture(.jpeg(let settings)) = work else { return .encoded }
    return settings.isLosslessPreferred ? .lossless : .encoded
  }

  /// The settings of a small JPEG of the same picture that fits into `box`.
  func small(in box: FrameSize) -> JPEGSettings {
    var settings = JPEGSettings(
      size: size.fitting(in: box), quality: JPEGSettings.previewQuality, transform: transform)
    settings.decodesPart = true
    return settings
  }

  fileprivate init(
    _ format: PhotoFormat, _ method: OrientationMethod?, in stream: RunningStream
  ) throws(CaptureError) {
    (type, self.method) = (format.type, method)
    var picture = format.picture
    picture.rate = nil
    let isFlagged = type == .dng || method == .flag && type != .raw
    if isFlagged {
      // Viewers turn the picture. The size that was asked for is the one that they see.
      display = PictureTransform(
        orientation: picture.transform.orientation, isMirrored: picture.transform.isMirrored)
      picture.size = picture.size?.turned(display.orientation)
      picture.transform = PictureTransform(crop: picture.transform.crop)
    }
    transform = picture.transform
    size = picture.size ?? picture.transform.deliveredSize(of: stream.format.size)
    if type == .dng {
      _ = try FramePlan(picture, in: stream)
      guard DNGFile.canWrite(stream.format.pixelFormat) else { throw stream.noBayer }
      work = .dng
      return
    }
    if type == .png, PixelConverter.isGrey(stream.format.pixelFormat) {
      picture.pixelFormat = PixelTarget.grey.pixelFormat
    }
    let plan = try FramePlan(picture, in: stream, defaultQuality: JPEGSettings.photoQuality)
    guard type == .png, let target = picture.target else {
      switch plan.delivery {
      case .untouched: work = .untouched
      case .jpeg(var settings):
        if method == .encoded { settings.isLosslessPreferred = false }
        (work, size, transform) = (.picture(.jpeg(settings)), settings.size, settings.transform)
      case .raw(let settings): (work, size) = (.picture(.raw(settings)), settings.size)
      case .pixels(let settings): (work, size) = (.picture(.pixels(settings)), settings.size)
      }
      return
    }
    var pixels = PixelSettings(target: target, size: size, transform: transform)
    switch plan.delivery {
    case .pixels(let settings): pixels = settings
    case .raw(let settings): (pixels.size, pixels.transform) = (settings.size, settings.transform)
    case .untouched, .jpeg: break
    }
    (work, size, transform) = (.png(pixels), pixels.size, pixels.transform)
  }
}

extension RunningStream {
  /// The error of a request for a DNG where the stream's frames are not those of a Bayer sensor.
  fileprivate var noBayer: CaptureError {
    CaptureError(
      .failedPrecondition,
      "\(camera) gives \(format.pixelFormat), of which no DNG can be made: a DNG has the samples behind a Bayer filter; ask for 'raw', 'png' or 'jpeg'"
        + (holder == .nobody ? "" : ", or end what uses that stream"),
      .init(
        .valueNotPossible, field: "pixel_format", asked: .text("dng"),
        possible: PhotoFileType.allCases.filter { $0 != .dng }.map(\.rawValue)))
  }

  fileprivate func noSmallPicture(_ what: String) -> CaptureError {
    CaptureError(
      .failedPrecondition,
      "\(camera) gives \(format.pixelFormat), of which the node can make no JPEG, and so no \(what); leave it out",
      .init(.notSupported, field: "settings.\(what)"))
  }
}
