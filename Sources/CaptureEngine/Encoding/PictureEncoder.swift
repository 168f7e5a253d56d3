import CaptureModel
import CaptureSystem

/// Makes JPEGs, turned raw pictures, and pictures in other pixel formats of frames. One thread at a time uses an encoder. The node has one kind of
/// encoder, and tests have another.
public protocol PictureEncoder: AnyObject, Sendable {
  func encode(_ frame: Frame, as settings: JPEGSettings, into pool: PayloadPool) throws(CaptureError)
    -> Payload
  func turn(_ frame: Frame, as settings: RawSettings, into pool: PayloadPool) throws(CaptureError)
    -> RawPicture
  func convert(_ frame: Frame, as settings: PixelSettings, into pool: PayloadPool) throws(CaptureError)
    -> RawPicture
}

/// The engine's functions for pictures. Tests replace them.
public struct Imaging: Sendable {
  /// Whether frames in a format can be encoded as JPEG, and converted into every ``PixelTarget``.
  public var isEncodable: @Sendable (PixelFormat) -> Bool
  /// Whether raw frames can be turned and cropped.
  public var isTurnable: @Sendable (PixelFormat) -> Bool
  /// The library that makes JPEGs of frames in a format; `nil`: none, or unknown.
  public var conversion: @Sendable (PixelFormat) -> JPEGConversion? = { _ in nil }
  public var makeEncoder: @Sendable () -> any PictureEncoder
  /// Says why a JPEG from a camera is truncated or corrupt; `nil` when it is whole.
  public var defect: @Sendable (_ jpeg: Payload, _ size: FrameSize) -> String?
  /// Says what is damaged inside a JPEG that ``defect`` finds whole; `nil` when it decodes well. It takes milliseconds.
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

  /// Whether frames in a format can be delivered as JPEG.
  public func canDeliverJPEG(of pixelFormat: PixelFormat) -> Bool {
    pixelFormat.isJPEG || isEncodable(pixelFormat)
  }

  /// Whether a digital zoom can cut frames that are delivered in the camera's own format.
  func canCutAsItComes(_ pixelFormat: PixelFormat) -> Bool {
    pixelFormat.isJPEG ? isEncodable(pixelFormat) : isTurnable(pixelFormat)
  }

  /// The library that makes JPEGs of frames in a format; `nil`: none.
  public func jpegConversion(of pixelFormat: PixelFormat) -> JPEGConversion? {
    pixelFormat.isJPEG ? .asItIs : conversion(pixelFormat)
  }
}
