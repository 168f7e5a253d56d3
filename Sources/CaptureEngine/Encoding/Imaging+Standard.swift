import CaptureImaging
import CaptureModel
import CaptureSystem
import Synchronization

extension Imaging {
  /// Uses libturbojpeg. ``defect`` checks the markers of a camera's JPEG, and ``damage`` its whole data.
  public static let standard: Imaging = {
    var imaging = Imaging(
      isEncodable: JPEGEncoder.canEncode,
      isTurnable: FrameTurner.canTurn,
      makeEncoder: { SerialEncoder() },
      defect: defect,
      damage: { jpeg, size in JPEGCheck.damage(inside: jpeg.segments[0], size: size) })
    imaging.conversion = JPEGEncoder.conversion
    return imaging
  }()

  private static func defect(_ jpeg: Payload, _ size: FrameSize) -> String? {
    guard jpeg.segments.count == 1 else { return "in \(jpeg.segments.count) pieces" }
    if case .damaged(let reason) = JPEGCheck(jpeg.segments[0], size: size) { return reason }
    return nil
  }
}

/// A ``JPEGEncoder``, a ``FrameTurner`` and a ``PixelConverter`` for one user at a time, on any thread.
private final class SerialEncoder: PictureEncoder {
  private let encoder = Mutex(JPEGEncoder())
  private let turner = Mutex(FrameTurner())
  private let converter = Mutex(PixelConverter())

  func encode(_ frame: Frame, as settings: JPEGSettings, into pool: PayloadPool) throws(CaptureError)
    -> Payload
  {
    try encoder.withLock { encoder throws(CaptureError) in
      try encoder.encode(frame, as: settings, into: pool)
    }
  }

  func turn(_ frame: Frame, as settings: RawSettings, into pool: PayloadPool) throws(CaptureError)
    -> RawPicture
  {
    try turner.withLock { turner throws(CaptureError) in try turner.turn(frame, as: settings, into: pool) }
  }

  func convert(_ frame: Frame, as settings: PixelSettings, into pool: PayloadPool) throws(CaptureError)
    -> RawPicture
  {
    try converter.withLock { converter throws(CaptureError) in
      try converter.convert(frame, as: settings, into: pool)
    }
  }
}
