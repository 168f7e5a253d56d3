import CaptureEngine
import CaptureModel
import CaptureSystem
import Dispatch
import Synchronization

/// Encodes into the settings' quality as one byte, when the test lets it.
final class FakeEncoder: PictureEncoder {
  private let permits: DispatchSemaphore?
  private let counts: Counts
  final class Counts: Sendable { let started = Mutex<[UInt64]>([]) }

  init(permits: DispatchSemaphore?, counts: Counts) {
    self.permits = permits
    self.counts = counts
  }

  func encode(_ frame: Frame, as settings: JPEGSettings, into pool: PayloadPool) throws(CaptureError)
    -> Payload
  {
    counts.started.withLock { $0.append(frame.sequence) }
    permits?.wait()
    return Payload(copying: [UInt8(settings.quality)])
  }

  func turn(_ frame: Frame, as settings: RawSettings, into pool: PayloadPool) throws(CaptureError)
    -> RawPicture
  {
    counts.started.withLock { $0.append(frame.sequence) }
    permits?.wait()
    return RawPicture(
      payload: Payload(copying: [0]), planes: [PlaneLayout(stride: settings.size.width * 2, bytes: 1)])
  }

  func convert(_ frame: Frame, as settings: PixelSettings, into pool: PayloadPool) throws(CaptureError)
    -> RawPicture
  {
    counts.started.withLock { $0.append(frame.sequence) }
    permits?.wait()
    return RawPicture(
      payload: Payload(copying: [7]), planes: [PlaneLayout(stride: settings.size.width, bytes: 1)],
      color: ColorDescription(matrix: .identity, isFullRange: true))
  }
}

extension Imaging {
  /// `permits`: one is taken for each encode; `nil`: no waiting.
  /// A JPEG of fewer than four bytes is truncated, one that begins with 0xBA is damaged inside.
  static func fake(permits: DispatchSemaphore? = nil, counts: FakeEncoder.Counts = FakeEncoder.Counts())
    -> Imaging
  {
    Imaging(
      isEncodable: { $0 == .yuyv }, isTurnable: { $0 == .yuyv },
      makeEncoder: { FakeEncoder(permits: permits, counts: counts) },
      defect: { jpeg, _ in jpeg.count < 4 ? "truncated" : nil },
      damage: { jpeg, _ in jpeg.bytes.first == 0xBA ? "premature end" : nil })
  }
}
