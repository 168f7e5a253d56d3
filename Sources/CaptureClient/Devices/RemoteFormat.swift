import CaptureModel
import CaptureWire

/// A pixel format that a camera offers, and whether the node makes JPEG of it.
public struct RemoteFormat: Hashable, Sendable {
  public var description: CaptureModel.FormatDescription
  /// Whether the node can deliver frames of this format as JPEG.
  public var isAvailableAsJPEG: Bool

  /// What converts it to JPEG; `nil` where nothing does, or where an older node does not say.
  public var jpegConversion: JPEGConversion?

  public init(
    description: CaptureModel.FormatDescription, isAvailableAsJPEG: Bool,
    jpegConversion: JPEGConversion? = nil
  ) {
    self.description = description
    self.isAvailableAsJPEG = isAvailableAsJPEG
    self.jpegConversion = jpegConversion
  }
}
