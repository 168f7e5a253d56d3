import CaptureModel
import CaptureSystem

/// The work that makes a picture of a frame.
enum PictureWork: Sendable {
  case jpeg(JPEGSettings)
  case raw(RawSettings)
  case pixels(PixelSettings)
  /// The camera's bytes, or the part that a digital zoom leaves of them. `quality`: that of a JPEG that was cut.
  case own(quality: Int)

  func perform(
    on taken: TakenFrame, with encoder: any PictureEncoder, into pool: PayloadPool
  ) -> Result<Picture, CaptureError> {
    let (start, frame) = (MonotonicClock.now(), taken.frame)
    func time() -> Duration { .nanoseconds(MonotonicClock.now() - start) }
    do throws(CaptureError) {
      switch zoomed(taken) {
      case .own: return .success(taken.untouched)
      case .jpeg(let settings):
        let jpeg = try encoder.encode(frame, as: settings, into: pool)
        var description = PictureDescription(jpegOf: frame, size: settings.size, encodeTime: time())
        description.connection = transform
        return .success(Picture(taken, description, payload: jpeg))
      case .raw(let settings):
        let turned = try encoder.turn(frame, as: settings, into: pool)
        var description = PictureDescription(
          turned: frame, size: settings.size, planes: turned.planes, encodeTime: time())
        description.connection = transform
        return .success(Picture(taken, description, payload: turned.payload))
      case .pixels(let settings):
        let picture = try encoder.convert(frame, as: settings, into: pool)
        var description = PictureDescription(converted: frame, as: settings, picture, encodeTime: time())
        description.connection = transform
        return .success(Picture(taken, description, payload: picture.payload))
      }
    } catch {
      return .failure(error)
    }
  }

  private var transform: PictureTransform {
    switch self {
    case .jpeg(let settings): settings.transform
    case .raw(let settings): settings.transform
    case .pixels(let settings): settings.transform
    case .own: .identity
    }
  }

  /// The work, with the frame's digital zoom before it.
  private func zoomed(_ taken: TakenFrame) -> PictureWork {
    guard !taken.zoom.isIdentity else { return self }
    let format = taken.frame.format
    switch self {
    case .jpeg(var settings):
      settings.transform = taken.zoom.then(settings.transform)
      return .jpeg(settings)
    case .raw(var settings):
      settings.transform = taken.zoom.then(settings.transform)
      return .raw(settings)
    case .pixels(var settings):
      settings.transform = taken.zoom.then(settings.transform)
      return .pixels(settings)
    case .own(let quality):
      return format.pixelFormat.isJPEG
        ? .jpeg(JPEGSettings(size: format.size, quality: quality, transform: taken.zoom))
        : .raw(RawSettings(size: format.size, transform: taken.zoom))
    }
  }
}

extension FramePlan.Delivery {
  /// `nil` where the camera's bytes are delivered as they are.
  var work: PictureWork? {
    switch self {
    case .untouched: nil
    case .jpeg(let settings): .jpeg(settings)
    case .raw(let settings): .raw(settings)
    case .pixels(let settings): .pixels(settings)
    }
  }
}
