import CaptureModel
import CaptureWire

/// A pixel format that a camera offers, and whether the node makes JPEG of it.
public struct RemoteFormat: Hashable, Sendable {
  public var description: CaptureModel.FormatDescription
  /// The node can deliver frames of this format as JPEG.
  public var isAvailableAsJPEG: Bool

  public init(description: CaptureModel.FormatDescription, isAvailableAsJPEG: Bool) {
    self.description = description
    self.isAvailableAsJPEG = isAvailableAsJPEG
  }
}
