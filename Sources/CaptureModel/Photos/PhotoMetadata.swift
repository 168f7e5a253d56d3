/// What a photo's EXIF and XMP say that is not in its ``FrameInfo`` (`AVCapturePhoto.metadata`). What nobody knows is `nil`.
public struct PhotoMetadata: Hashable, Sendable {
  /// 32 hexadecimal digits, of this photo alone. EXIF's ImageUniqueID.
  public var imageID: String
  /// The node's name.
  public var node: String
  /// The camera's identity.
  public var camera: CameraID
  /// Who made the camera; `nil`: its bus does not report that.
  public var make: String?
  /// The camera's name.
  public var model: String
  /// The number that distinguishes this camera from others of its model; never empty. EXIF's BodySerialNumber.
  public var serial: String
  /// `reported`: the camera's own number. `derived`: made of the camera's identity.
  public var serialProvenance: Provenance
  /// `nil`: the mode of the camera's exposure is not known.
  public var exposureMode: ExposureMode?
  /// `nil`: the mode of the camera's white balance is not known.
  public var whiteBalanceMode: WhiteBalanceMode?
  /// The flash's mode for this photo; `nil`: the camera has none, or that is not known.
  public var flashMode: LightMode?
  /// Whether the camera is known to have no flash.
  public var hasNoFlash = false
  /// `nil`: the node's configuration has none for this camera.
  public var lens: Lens?
  /// `nil`: the node's configuration has none.
  public var location: GeographicLocation?
  /// When the exposure began, or else the time of the frame's timestamp; `nil` where that is not on `CLOCK_MONOTONIC`.
  public var taken: UTCTime?
  /// The node's local time less UTC at that moment, in seconds.
  public var utcOffset = 0
  /// How its pixels have to be turned, and then mirrored, before they are looked at. EXIF's Orientation.
  public var display = PictureTransform.identity
  /// The texts of the request, by tag.
  public var tags: [PhotoTag: String] = [:]
  /// The name of the shot to which the photo belongs (`ShotName`); `nil`: the request has none.
  public var shot: String?
  /// Its place among the photos that were taken together; `nil`: it is alone.
  public var sequence: SequenceMember?

  public init(
    imageID: String, node: String, camera: CameraID, make: String? = nil, model: String, serial: String,
    serialProvenance: Provenance
  ) {
    (self.imageID, self.node, self.camera) = (imageID, node, camera)
    (self.make, self.model, self.serial, self.serialProvenance) = (make, model, serial, serialProvenance)
  }
}

extension CameraDescription {
  /// A number that distinguishes the camera from others of its model: its own, or else 16 hexadecimal digits that are always the same for its
  /// identity.
  public var photoSerial: (text: String, provenance: Provenance) {
    if !serial.isEmpty { return (serial, .reported) }
    // FNV-1a.
    let hash = id.rawValue.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01B3
    }
    let digits = String(hash, radix: 16)
    return (String(repeating: "0", count: 16 - digits.count) + digits, .derived)
  }
}
