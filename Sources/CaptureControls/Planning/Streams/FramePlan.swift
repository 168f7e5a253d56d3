import CaptureModel

/// How a subscription's frames are made from a stream.
public struct FramePlan: Hashable, Sendable {
  public enum Delivery: Hashable, Sendable {
    /// The camera's bytes.
    case untouched
    case jpeg(JPEGSettings)
    /// The frames in the camera's pixel format, cut, turned or mirrored.
    case raw(RawSettings)
    /// The frames in a pixel format that the client asked for.
    case pixels(PixelSettings)
  }

  public var delivery: Delivery
  /// The request's size, gravity and transform, if it had a gravity.
  var placement: Placement?
  /// The rate, in frames a second, to which frames are thinned; `nil`: every frame.
  public var rate: Double?

  public init(delivery: Delivery, rate: Double? = nil) {
    self.delivery = delivery
    self.rate = rate
  }
}
