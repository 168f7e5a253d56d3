/// A camera's lens, as the node's configuration describes it. No driver reports it.
public struct Lens: Hashable, Sendable {
  /// `nil`: not given. EXIF's LensMake.
  public var make: String?
  /// `nil`: not given. EXIF's LensModel.
  public var model: String?
  /// Millimetres, more than 0; `nil`: not given. EXIF's FocalLength.
  public var focalLength: Double?
  /// The focal length in millimetres with the same angle of view on 35 mm film, 1 to 65,535; `nil`: not given. EXIF's FocalLengthIn35mmFilm.
  public var focalLengthIn35mm: Int?
  /// The focal length divided by the opening, more than 0; `nil`: not given. EXIF's FNumber, `AVCaptureDevice.lensAperture`.
  public var fNumber: Double?

  public init(
    make: String? = nil, model: String? = nil, focalLength: Double? = nil, focalLengthIn35mm: Int? = nil,
    fNumber: Double? = nil
  ) {
    (self.make, self.model, self.focalLength) = (make, model, focalLength)
    (self.focalLengthIn35mm, self.fNumber) = (focalLengthIn35mm, fNumber)
  }
}

/// A place on the Earth in WGS 84 (`CLLocation`).
public struct GeographicLocation: Hashable, Sendable {
  /// Degrees north, -90…90.
  public var latitude: Double
  /// Degrees east, -180…180.
  public var longitude: Double
  /// Metres above sea level; `nil`: not given.
  public var altitude: Double?

  public init(latitude: Double, longitude: Double, altitude: Double? = nil) {
    (self.latitude, self.longitude, self.altitude) = (latitude, longitude, altitude)
  }
}
