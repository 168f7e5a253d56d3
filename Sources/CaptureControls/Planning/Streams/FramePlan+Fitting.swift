import CaptureModel

/// A running stream, and the client for whom it runs. New requests have to fit into it.
package struct RunningStream: Hashable, Sendable {
  package var camera: String
  package var format: StreamFormat
  /// Whether the node can encode the camera's format. (It decodes a JPEG and encodes it again.)
  package var isEncodable: Bool
  /// Whether its raw frames can be turned and cropped.
  package var isTurnable: Bool
  /// The client that fixed the format.
  package var holder: Holder
  /// Whether only the bounds of the frame duration keep it from being faster.
  package var isSlowed: Bool

  /// The holder, for messages.
  package enum Holder: Hashable, Sendable {
    /// The request itself is the holder.
    case nobody
    /// Another client: "client 7 (unix)", "a photo".
    case other(String)
    case session(String, isRunning: Bool)
  }

  package init(
    camera: String, format: StreamFormat, isEncodable: Bool, isTurnable: Bool, holder: Holder,
    isSlowed: Bool = false
  ) {
    self.camera = camera
    self.format = format
    self.isEncodable = isEncodable
    self.isTurnable = isTurnable
    self.holder = holder
    self.isSlowed = isSlowed
  }

  /// Why no more is possible: "'cam' streams 640x480 YUYV at 30 fps for client 7 (unix)".
  fileprivate var description: String {
    let interval = format.interval.map { " at \($0)" } ?? ""
    let frames = "\(format.size) \(format.pixelFormat)\(interval)"
    return switch holder {
    case .nobody: "\(camera) gives \(frames)"
    case .other(let holder): "\(camera) streams \(frames) for \(holder)"
    case .session(let name, true): "\(camera) streams \(frames) for the session '\(name)'"
    case .session(let name, false): "\(camera) is to stream \(frames) for the session '\(name)'"
    }
  }

  /// The holder and the format that it has fixed. `field`: the request's field that does not fit.
  fileprivate func details(_ field: String, _ asked: String, _ possible: [String]) -> CaptureError.Details {
    var details = CaptureError.Details(
      .heldByStream, field: field, asked: .text(asked), possible: possible)
    switch holder {
    case .nobody: details.reason = .valueNotPossible
    case .other(let name): details.holder = name
    case .session(let name, _): (details.reason, details.holder) = (.heldBySession, name)
    }
    return details
  }

  /// The end of a message: what the client can do about the stream's format.
  fileprivate var way: String {
    if case .session(let name, _) = holder { ", or configure the session '\(name)' for more" } else { "" }
  }
}

extension FramePlan {
  /// Fits `request` into a running stream. Pictures can be turned and cropped, scaled down in proportion (JPEG that the node encodes, and every
  /// ``PixelTarget``), and thinned to a lower rate. A quarter turn of 640x480 is 480x640. Anything more is `failedPrecondition`, which names the
  /// format and its holder. `invalidArgument`: the pixel format cannot have that size.
  package init(
    _ request: VideoRequest, in stream: RunningStream, defaultQuality: Int = JPEGSettings.videoQuality
  ) throws(CaptureError) {
    let format = stream.format
    placement = Placement(request)
    let request = request.placed(in: format.size)
    func refuse(
      _ field: String, _ asked: any CustomStringConvertible,
      _ possible: [any CustomStringConvertible], _ why: String
    ) -> CaptureError {
      CaptureError(
        .failedPrecondition, "\(stream.description); \(why)",
        stream.details(field, asked.description, possible.map(\.description)))
    }
    if let source = request.sourcePixelFormat, source != format.pixelFormat {
      throw refuse(
        "source_pixel_format", source, [format.pixelFormat],
        "frames of \(source) cannot be had \(stream.holder == .nobody ? "of it" : "until that ends")\(stream.way)"
      )
    }
    let target = request.target
    if let asked = request.pixelFormat, asked != format.pixelFormat, target == nil || !stream.isEncodable {
      let way = target == nil ? "; the node converts to \(PixelTarget.list)" : ", and cannot be made of that"
      throw refuse(
        "pixel_format", asked, [format.pixelFormat],
        (stream.holder == .nobody ? "\(asked) was asked for" : "\(asked) cannot be had until that ends")
          + (request.encoding == .raw ? way : ""))
    }
    let transform = request.transform
    // The largest size there is, and the size that needs no further scaling.
    let (largest, own) = (format.size.turned(transform.orientation), transform.deliveredSize(of: format.size))
    let isConverted = request.pixelFormat != format.pixelFormat
    let size = request.size ?? (isConverted ? target?.rounded(own) : nil) ?? own
    func checkSize() throws(CaptureError) {
      guard size.width <= largest.width, size.height <= largest.height else {
        throw refuse("size", size, [own], "\(size) is more than that; ask for \(own) or smaller\(stream.way)")
      }
      guard request.gravity == .resize || size.hasShape(of: own) else {
        let sizes = size.alternatives(within: own).map(\.description)
        throw refuse(
          "size", size, sizes, "\(size) would distort the picture; ask for \(sizes.joined(separator: " or "))"
        )
      }
    }
    switch request.encoding {
    case .raw:
      if let target, stream.isEncodable, isConverted || size != own {
        try checkSize()
        try target.check(size, within: largest)
        delivery = .pixels(PixelSettings(target: target, size: size, transform: transform))
        break
      }
      if size != own {
        throw refuse(
          "size", size, [own], "raw frames cannot be scaled to \(size); ask for \(own), or for JPEG")
      }
      guard transform.isIdentity || stream.isTurnable else {
        throw refuse(
          "encoding", "raw", ["jpeg"],
          "raw \(format.pixelFormat) frames cannot be turned or cropped; ask for JPEG")
      }
      delivery = transform.isIdentity ? .untouched : .raw(RawSettings(size: size, transform: transform))
    case .jpeg:
      if format.pixelFormat.isJPEG, transform.isIdentity, size == own, !request.requiresEncoding {
        delivery = .untouched
        break
      }
      guard stream.isEncodable else {
        let way = format.pixelFormat.isJPEG ? "encoded again" : "encoded as JPEG"
        throw refuse(
          "encoding", "jpeg", ["raw"], "\(format.pixelFormat) cannot be \(way); ask for frames as they are")
      }
      try checkSize()
      delivery = .jpeg(
        JPEGSettings(
          size: size, quality: request.quality ?? defaultQuality, subsampling: request.subsampling,
          transform: transform, isLosslessPreferred: !transform.isIdentity && !request.requiresEncoding))
    }
    rate = nil
    guard let asked = request.rate else { return }
    guard let interval = format.interval else {
      rate = asked
      return
    }
    // Someone who bounds the frame duration wants fewer frames. A client that asks for more gets all there are.
    guard interval.reaches(rate: asked) || stream.isSlowed else {
      throw refuse(
        "rate", asked, [interval.rate],
        "\(FrameInterval.text(ofRate: asked)) is more than that; ask for \(interval) or less\(stream.way)")
    }
    if interval.exceeds(rate: asked) { rate = asked }
  }
}

extension FrameSize {
  /// Whether the shapes are the same, to within a percent or the rounding to whole pixels.
  func hasShape(of other: FrameSize) -> Bool {
    let difference = abs(width * other.height - height * other.width)
    return difference * 100 <= height * other.width || difference <= max(other.width, other.height) * 2
  }

  /// Sizes of the shape of `stream`, as wide or as high as this one: 640x360, 852x480.
  fileprivate func alternatives(within stream: FrameSize) -> [FrameSize] {
    func even(_ side: Int, _ from: Int, _ to: Int) -> Int { max(2, side * to / from & ~1) }
    let asWide = FrameSize(width: width, height: even(width, stream.width, stream.height))
    let asHigh = FrameSize(width: even(height, stream.height, stream.width), height: height)
    let possible = [asWide, asHigh].filter {
      $0.width <= stream.width && $0.height <= stream.height && $0.hasShape(of: stream)
    }
    return possible.isEmpty ? [stream] : possible
  }
}

extension FrameInterval {
  /// "12.5 fps"
  static func text(ofRate rate: Double) -> String {
    FrameInterval(rate: rate)?.description ?? "\(rate) fps"
  }
}
