import CaptureModel

/// A photo: the files that were made of one frame.
public struct Photo: Sendable {
  /// One file for each format of the request, in the request's order.
  public let files: [PhotoFile]
  /// The photo's name in the node's library; `nil`: it is not kept there. The node sets it.
  public var asset: String?

  /// The picture of the first file.
  public var picture: Picture { files[0].picture }
  /// The metadata of the first file.
  public var metadata: PhotoMetadata? { files[0].metadata }
  /// How near the frame is to the moment that was asked for; `nil`: no moment was asked for.
  public private(set) var nearness: PhotoNearness?

  init(files: [PhotoFile]) { self.files = files }

  /// Returns the photo with its nearness to the moment that was asked for.
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
  /// The name of the sequence, the photo's place in it, and the outcome of a bracket's step.
  public let member: SequenceMember

  /// The photo's place in the sequence. For a burst it also says how many of the camera's frames are missing before the photo.
  public var place: SequencePlace { member.place }
  /// The outcome of a bracket's step; `nil`: the photo belongs to a burst.
  public var outcome: BracketOutcome? { member.bracket }
}

/// A file of a photo, and what was written into it.
public struct PhotoFile: Sendable {
  public let type: PhotoFileType
  public internal(set) var picture: Picture
  /// The metadata that was written into the file; `nil`: none, because nobody wanted any, the type of file cannot have any, or the picture does not
  /// begin as a JPEG does.
  public internal(set) var metadata: PhotoMetadata?
  /// Whether the camera's own JPEG was decoded and encoded again.
  public var isReencoded = false
  /// How the file's picture was turned or mirrored; `nil`: it was not.
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
