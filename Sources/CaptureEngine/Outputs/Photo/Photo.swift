import CaptureModel

/// A photo: the files that were made of one frame.
public struct Photo: Sendable {
  /// One for each format of the request, in its order.
  public let files: [PhotoFile]
  /// Its name in the node's library; `nil`: it is not kept there. The node sets it.
  public var asset: String?

  /// The first file's.
  public var picture: Picture { files[0].picture }
  public var metadata: PhotoMetadata? { files[0].metadata }
  /// How near its frame is to the moment that was asked for; `nil`: none was.
  public private(set) var nearness: PhotoNearness?

  init(files: [PhotoFile]) { self.files = files }

  /// The photo with what is known of how near its frame is to the moment that was asked for.
  func near(_ nearness: PhotoNearness) -> Photo {
    var photo = self
    photo.nearness = nearness
    return photo
  }
}

/// A photo of a bracket or a burst.
public struct SequencePhoto: Sendable {
  /// The files of its frame.
  public var photo: Photo
  /// Its sequence's name and its place there, and what became of a bracket's step.
  public let member: SequenceMember

  /// Its place in the sequence. For a burst it also tells how many of the camera's frames are missing before the photo.
  public var place: SequencePlace { member.place }
  /// What became of a bracket's step; `nil`: it is of a burst.
  public var outcome: BracketOutcome? { member.bracket }
}

/// A file of a photo, and what was written into it.
public struct PhotoFile: Sendable {
  public let type: PhotoFileType
  public internal(set) var picture: Picture
  /// `nil`: nothing was written into it, since nobody wanted that, or it cannot have any, or it does not begin as a JPEG.
  public internal(set) var metadata: PhotoMetadata?
  /// Whether the camera's own JPEG was decoded and encoded again.
  public var isReencoded = false
  /// How it was turned or mirrored; `nil`: it was not.
  public var orientationMethod: OrientationMethod?
}

/// The node's configuration for the photos of a camera.
public struct PhotoOrigin: Hashable, Sendable {
  /// The node's name.
  public var node = ""
  /// `nil`: not given.
  public var location: GeographicLocation?
  /// `nil`: not given.
  public var lens: Lens?
  public var sensor = SensorCalibration()

  public init(node: String = "", location: GeographicLocation? = nil, lens: Lens? = nil) {
    (self.node, self.location, self.lens) = (node, location, lens)
  }
}
