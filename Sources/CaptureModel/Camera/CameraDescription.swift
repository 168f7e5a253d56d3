/// A camera's identity: stable across reboots, and across replugs at the same port. Never a `/dev/videoN`.
public struct CameraID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public var description: String { rawValue }
}

/// What is known about a camera before it is opened (`VIDIOC_QUERYCAP` and sysfs; the constant part of `AVCaptureDevice`).
public struct CameraDescription: Hashable, Sendable {
  /// `AVCaptureDevice.uniqueID`.
  public var id: CameraID
  /// The name for people: "HD Pro Webcam C920".
  public var name: String
  /// Vendor and product, where the bus reports them: "046d:0825".
  public var model: String
  /// Who made it, where the bus reports that; empty: it does not.
  public var manufacturer: String
  /// "uvcvideo".
  public var driver: String
  /// The driver's `bus_info`.
  public var bus: String
  /// The device node. It may change. Empty for a camera without one.
  public var path: String
  /// The serial number, where the bus reports one; empty: it does not.
  public var serial: String
  /// The side of its machine on which it is (`AVCaptureDevice.position`).
  public var position: Position
  /// Whether its driver has the multi-planar interface (`V4L2_CAP_VIDEO_CAPTURE_MPLANE`).
  public var isMultiplanar: Bool
  /// Why the camera cannot be used here, for a person, such as a sensor that only libcamera can drive. `nil` when it can be used.
  public var unusableReason: String?
  /// What it captures (`AVCaptureDevice.hasMediaType`).
  public var media: [MediaType] = [.video]

  /// The side of its machine on which a camera is (`AVCaptureDevice.Position`): by `V4L2_CID_CAMERA_ORIENTATION`, or by the node's configuration.
  public enum Position: String, CaseIterable, Sendable {
    /// Nobody said.
    case unspecified
    /// At that side of its machine.
    case front, back
    /// Attached to its machine.
    case external
  }

  public init(
    id: CameraID, name: String, model: String = "", driver: String, bus: String = "", path: String = "",
    serial: String = "", manufacturer: String = "", position: Position = .unspecified,
    isMultiplanar: Bool = false, unusableReason: String? = nil
  ) {
    self.id = id
    self.name = name
    self.model = model
    self.driver = driver
    self.bus = bus
    self.path = path
    self.serial = serial
    self.manufacturer = manufacturer
    self.position = position
    self.isMultiplanar = isMultiplanar
    self.unusableReason = unusableReason
  }
}
