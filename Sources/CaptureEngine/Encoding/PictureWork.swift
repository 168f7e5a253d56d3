import CaptureControls
import CaptureModel
import CaptureSystem

/// The work that makes a picture of a frame.
enum PictureWork: Sendable {
  case jpeg(JPEGSettings)
  case raw(RawSettings)
  case pixels(PixelSettings)
  /// The camera's bytes. If the frame has a digital zoom, it is cut, in the camera's format. `quality`: the quality of the JPEG where a JPEG is cut.
  case asItComes(quality: Int)

  /// `notes`: how the frame was taken for a photo.
  func perform(
    on taken: TakenFrame, notes: PhotoNotes = PhotoNotes(), with encoder: any PictureEncoder,
    into pool: PayloadPool
  ) -> Result<Picture, CaptureError> {
    let (start, frame) = (MonotonicClock.now(), taken.frame)
    func time() -> Duration { .nanoseconds(MonotonicClock.now() - start) }
    func picture(_ description: PictureDescription, _ payload: Payload) -> Picture {
      var description = description
      description.connection = transform.rounded(in: frame.format.size, after: taken.zoom)
      return Picture(taken, description, payload: payload, notes: notes)
    }
    do throws(CaptureError) {
      switch zoomed(taken) {
      case .asItComes: return .success(Picture(taken, PictureDescription(frame), notes: notes))
      case .jpeg(let settings):
        let jpeg = try encoder.encode(frame, as: settings, into: pool)
        return .success(
          picture(PictureDescription(jpegOf: frame, size: settings.size, encodeTime: time()), jpeg))
      case .raw(let settings):
        let turned = try encoder.turn(frame, as: settings, into: pool)
        let description = PictureDescription(
          turned: frame, size: settings.size, planes: turned.planes, encodeTime: time())
        return .success(picture(description, turned.payload))
      case .pixels(let settings):
        let pixels = try encoder.convert(frame, as: settings, into: pool)
        let description = PictureDescription(converted: frame, as: settings, pixels, encodeTime: time())
        return .success(picture(description, pixels.payload))
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
    case .asItComes: .identity
    }
  }

  /// Returns this work with the frame's digital zoom, which comes before the transform of the work.
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
    case .asItComes(let quality):
      return format.pixelFormat.isJPEG
        ? .jpeg(JPEGSettings(size: format.size, quality: quality, transform: taken.zoom))
        : .raw(RawSettings(size: format.size, transform: taken.zoom))
    }
  }
}

extension FramePlan.Delivery {
  /// The work that makes this form of a frame; `nil`: the camera's bytes are delivered as they are.
  var work: PictureWork? {
    switch self {
    case .untouched: nil
    case .jpeg(let settings): .jpeg(settings)
    case .raw(let settings): .raw(settings)
    case .pixels(let settings): .pixels(settings)
    }
  }
}
