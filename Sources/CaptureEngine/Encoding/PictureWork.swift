import CaptureModel
import CaptureSystem

/// What is made of a frame.
enum PictureWork: Sendable {
  case jpeg(JPEGSettings)
  case raw(RawSettings)

  func perform(
    on taken: TakenFrame, with encoder: any PictureEncoder, into pool: PayloadPool
  ) -> Result<Picture, CaptureError> {
    let (start, frame) = (MonotonicClock.now(), taken.frame)
    func time() -> Duration { .nanoseconds(MonotonicClock.now() - start) }
    do throws(CaptureError) {
      switch self {
      case .jpeg(let settings):
        let jpeg = try encoder.encode(frame, as: settings, into: pool)
        let description = PictureDescription(jpegOf: frame, size: settings.size, encodeTime: time())
        return .success(Picture(taken, description, payload: jpeg))
      case .raw(let settings):
        let turned = try encoder.turn(frame, as: settings, into: pool)
        let description = PictureDescription(
          turned: frame, size: settings.size, planes: turned.planes, encodeTime: time())
        return .success(Picture(taken, description, payload: turned.payload))
      }
    } catch {
      return .failure(error)
    }
  }
}

extension FramePlan.Delivery {
  /// `nil` where the camera's bytes are delivered.
  var work: PictureWork? {
    switch self {
    case .untouched: nil
    case .jpeg(let settings): .jpeg(settings)
    case .raw(let settings): .raw(settings)
    }
  }
}
