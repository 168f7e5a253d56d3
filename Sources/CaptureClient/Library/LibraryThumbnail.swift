public import CaptureModel
public import CaptureSystem

/// A small JPEG of an asset.
public struct LibraryThumbnail: Sendable {
  /// The asset's name.
  public var asset: String
  /// `nil`: there is none of this asset.
  public var jpeg: Payload?
  /// The size of the JPEG; `nil`: there is none.
  public var size: FrameSize?
}
