import CaptureModel

/// A camera that runs in a larger format than its stream has. The frames of the stream are made of the camera's.
package struct LargerSource: Hashable, Sendable {
  /// The format of the camera's frames.
  package let frames: StreamFormat
  /// The format of the stream's frames, as its subscribers have them.
  package let stream: StreamFormat

  package init(_ frames: StreamFormat, insteadOf stream: StreamFormat) {
    (self.frames, self.stream) = (frames, stream)
  }

  /// The middle of the camera's frames, in the shape of the stream's.
  var part: PictureTransform {
    let (width, height) = (
      Double(stream.size.width) / Double(frames.size.width),
      Double(stream.size.height) / Double(frames.size.height)
    )
    let scale = max(width, height)
    let (x, y) = ((1 - width / scale) / 2, (1 - height / scale) / 2)
    return PictureTransform(crop: NormalizedRect(left: x, top: y, right: 1 - x, bottom: 1 - y))
  }

  /// How pictures that are asked of the stream are made of the camera's frames, in the same size and form. `nil`: they cannot be, as raw frames in a
  /// format that is no ``PixelTarget``.
  package func delivery(_ asked: FramePlan.Delivery) -> FramePlan.Delivery? {
    switch asked {
    case .untouched where stream.pixelFormat.isJPEG:
      return jpeg(JPEGSettings(size: stream.size, quality: JPEGSettings.videoQuality))
    case .untouched: return pixels(RawSettings(size: stream.size, transform: .identity))
    case .raw(let settings): return pixels(settings)
    case .jpeg(let settings): return jpeg(settings)
    case .pixels(let settings): return .pixels(adapted(settings))
    }
  }

  private func jpeg(_ asked: JPEGSettings) -> FramePlan.Delivery {
    var settings = asked
    settings.transform = part.then(asked.transform)
    (settings.isLosslessPreferred, settings.decodesPart) = (false, true)
    return .jpeg(settings)
  }

  private func pixels(_ asked: RawSettings) -> FramePlan.Delivery? {
    guard let target = PixelTarget(stream.pixelFormat) else { return nil }
    return .pixels(adapted(PixelSettings(target: target, size: asked.size, transform: asked.transform)))
  }

  /// The settings that make the picture of the camera's frames instead.
  private func adapted(_ asked: PixelSettings) -> PixelSettings {
    var settings = asked
    settings.transform = part.then(asked.transform)
    settings.decodesPart = true
    return settings
  }
}
