import CaptureImaging
import CaptureModel
import CaptureSystem
import Synchronization

extension Imaging {
  /// libturbojpeg, and a look at the markers of what JPEG cameras send.
  public static let standard = Imaging(
    isEncodable: JPEGEncoder.canEncode,
    isTurnable: FrameTurner.canTurn,
    makeEncoder: { SerialEncoder() },
    defect: { jpeg, size in
      guard jpeg.segments.count == 1 else { return "in \(jpeg.segments.count) pieces" }
      if case .damaged(let reason) = JPEGCheck(jpeg.segments[0], size: size) { return reason }
      return nil
    })
}

/// A ``JPEGEncoder`` and a ``FrameTurner`` for one user at a time, on whichever thread.
private final class SerialEncoder: PictureEncoder {
  private let encoder = Mutex(JPEGEncoder())
  private let turner = Mutex(FrameTurner())

  func encode(_ frame: Frame, as settings: JPEGSettings, into pool: PayloadPool) throws(CaptureError)
    -> Payload
  {
    let result = encoder.withLock { encoder -> Result<Payload, CaptureError> in
      do throws(CaptureError) {
        return .success(try encoder.encode(frame, as: settings, into: pool))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  func turn(_ frame: Frame, as settings: RawSettings, into pool: PayloadPool) throws(CaptureError)
    -> RawPicture
  {
    let result = turner.withLock { turner -> Result<RawPicture, CaptureError> in
      do throws(CaptureError) {
        return .success(try turner.turn(frame, as: settings, into: pool))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
