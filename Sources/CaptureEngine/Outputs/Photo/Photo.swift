import CaptureModel

/// A photo, and what was written into it.
public struct Photo: Sendable {
  public let picture: Picture
  /// `nil`: nothing was written into it, since nobody wanted that or it does not begin as a JPEG.
  public let metadata: PhotoMetadata?
}

/// What the node's configuration tells of the photos of a camera.
public struct PhotoOrigin: Hashable, Sendable {
  /// The node's name.
  public var node = ""
  /// `nil`: not given.
  public var location: GeographicLocation?
  /// `nil`: not given.
  public var lens: Lens?

  public init(node: String = "", location: GeographicLocation? = nil, lens: Lens? = nil) {
    (self.node, self.location, self.lens) = (node, location, lens)
  }
}
