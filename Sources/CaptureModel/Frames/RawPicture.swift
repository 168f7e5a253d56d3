import CaptureSystem

/// A raw picture made of a frame: its bytes in one piece, and the places of its planes, one entry for each memory plane.
public struct RawPicture: Sendable {
  public var payload: Payload
  public var planes: [PlaneLayout]
  /// What the picture's samples mean; `nil`: the same as the frame's samples.
  public var color: ColorDescription?

  public init(payload: Payload, planes: [PlaneLayout], color: ColorDescription? = nil) {
    self.payload = payload
    self.planes = planes
    self.color = color
  }
}
