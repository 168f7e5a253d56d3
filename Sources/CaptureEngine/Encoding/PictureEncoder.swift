import CaptureModel
import CaptureSystem

/// Makes JPEGs, and turned raw pictures, of one stream's frames. Used by one thread at a time.
public protocol PictureEncoder: AnyObject, Sendable {
  func encode(_ frame: Frame, as settings: JPEGSettings, into pool: PayloadPool) throws(CaptureError)
    -> Payload
  func turn(_ frame: Frame, as settings: RawSettings, into pool: PayloadPool) throws(CaptureError)
    -> RawPicture
}

/// What the engine needs to know about pictures; a seam for tests.
public struct Imaging: Sendable {
  public var isEncodable: @Sendable (PixelFormat) -> Bool
  /// Whether raw frames can be turned and cropped.
  public var isTurnable: @Sendable (PixelFormat) -> Bool
  /// Who makes JPEGs of frames of a format; `nil`: nobody, or it is not known who.
  public var conversion: @Sendable (PixelFormat) -> JPEGConversion? = { _ in nil }
  public var makeEncoder: @Sendable () -> any PictureEncoder
  /// Why a JPEG from a camera is truncated or corrupt; `nil` when it is whole.
  public var defect: @Sendable (_ jpeg: Payload, _ size: FrameSize) -> String?
  /// What is damaged inside one that ``defect`` finds whole; `nil` when it decodes well. Takes milliseconds.
  public var damage: @Sendable (_ jpeg: Payload, _ size: FrameSize) -> String?

  public init(
    isEncodable: @escaping @Sendable (PixelFormat) -> Bool,
    isTurnable: @escaping @Sendable (PixelFormat) -> Bool,
    makeEncoder: @escaping @Sendable () -> any PictureEncoder,
    defect: @escaping @Sendable (_ jpeg: Payload, _ size: FrameSize) -> String?,
    damage: @escaping @Sendable (_ jpeg: Payload, _ size: FrameSize) -> String?
  ) {
    self.isEncodable = isEncodable
    self.isTurnable = isTurnable
    self.makeEncoder = makeEncoder
    self.defect = defect
    self.damage = damage
  }
}
