import CaptureModel

/// The tags that photos have, by their names in EXIF.
extension EXIFTag {
  static let make = EXIFTag(.image, 0x010F)
  static let model = EXIFTag(.image, 0x0110)
  static let orientation = EXIFTag(.image, 0x0112)
  static let xResolution = EXIFTag(.image, 0x011A)
  static let yResolution = EXIFTag(.image, 0x011B)
  static let resolutionUnit = EXIFTag(.image, 0x0128)
  static let software = EXIFTag(.image, 0x0131)
  static let yCbCrPositioning = EXIFTag(.image, 0x0213)

  static let exposureTime = EXIFTag(.exposure, 0x829A)
  static let fNumber = EXIFTag(.exposure, 0x829D)
  static let photographicSensitivity = EXIFTag(.exposure, 0x8827)
  static let exifVersion = EXIFTag(.exposure, 0x9000)
  static let dateTimeOriginal = EXIFTag(.exposure, 0x9003)
  static let offsetTimeOriginal = EXIFTag(.exposure, 0x9011)
  static let componentsConfiguration = EXIFTag(.exposure, 0x9101)
  static let exposureBiasValue = EXIFTag(.exposure, 0x9204)
  static let flash = EXIFTag(.exposure, 0x9209)
  static let focalLength = EXIFTag(.exposure, 0x920A)
  static let subSecTimeOriginal = EXIFTag(.exposure, 0x9291)
  static let flashpixVersion = EXIFTag(.exposure, 0xA000)
  static let colorSpace = EXIFTag(.exposure, 0xA001)
  static let pixelXDimension = EXIFTag(.exposure, 0xA002)
  static let pixelYDimension = EXIFTag(.exposure, 0xA003)
  static let exposureMode = EXIFTag(.exposure, 0xA402)
  static let whiteBalance = EXIFTag(.exposure, 0xA403)
  static let focalLengthIn35mmFilm = EXIFTag(.exposure, 0xA405)
  static let imageUniqueID = EXIFTag(.exposure, 0xA420)
  static let bodySerialNumber = EXIFTag(.exposure, 0xA431)
  static let lensMake = EXIFTag(.exposure, 0xA433)
  static let lensModel = EXIFTag(.exposure, 0xA434)

  static let gpsVersionID = EXIFTag(.location, 0)
  static let gpsLatitudeRef = EXIFTag(.location, 1)
  static let gpsLatitude = EXIFTag(.location, 2)
  static let gpsLongitudeRef = EXIFTag(.location, 3)
  static let gpsLongitude = EXIFTag(.location, 4)
  static let gpsAltitudeRef = EXIFTag(.location, 5)
  static let gpsAltitude = EXIFTag(.location, 6)
  static let gpsMapDatum = EXIFTag(.location, 18)

  /// The place of a thumbnail.
  static let jpegInterchangeFormat = EXIFTag(.image, 0x0201)
  /// The number of a thumbnail's bytes.
  static let jpegInterchangeFormatLength = EXIFTag(.image, 0x0202)

  // The tags of a DNG.
  static let newSubfileType = EXIFTag(.image, 0x00FE)
  static let imageWidth = EXIFTag(.image, 0x0100)
  static let imageLength = EXIFTag(.image, 0x0101)
  static let bitsPerSample = EXIFTag(.image, 0x0102)
  static let compression = EXIFTag(.image, 0x0103)
  static let photometricInterpretation = EXIFTag(.image, 0x0106)
  static let stripOffsets = EXIFTag(.image, 0x0111)
  static let samplesPerPixel = EXIFTag(.image, 0x0115)
  static let rowsPerStrip = EXIFTag(.image, 0x0116)
  static let stripByteCounts = EXIFTag(.image, 0x0117)
  static let planarConfiguration = EXIFTag(.image, 0x011C)
  static let xmp = EXIFTag(.image, 0x02BC)
  static let cfaRepeatPatternDim = EXIFTag(.image, 0x828D)
  static let cfaPattern = EXIFTag(.image, 0x828E)
  static let dngVersion = EXIFTag(.image, 0xC612)
  static let dngBackwardVersion = EXIFTag(.image, 0xC613)
  static let uniqueCameraModel = EXIFTag(.image, 0xC614)
  static let cfaPlaneColor = EXIFTag(.image, 0xC616)
  static let cfaLayout = EXIFTag(.image, 0xC617)
  static let blackLevel = EXIFTag(.image, 0xC61A)
  static let whiteLevel = EXIFTag(.image, 0xC61D)
  static let colorMatrix1 = EXIFTag(.image, 0xC621)
  static let asShotNeutral = EXIFTag(.image, 0xC628)
  static let cameraSerialNumber = EXIFTag(.image, 0xC62F)
  static let calibrationIlluminant1 = EXIFTag(.image, 0xC65A)

  init(_ tag: PhotoTag) {
    self =
      switch tag {
      case .imageDescription: EXIFTag(.image, 0x010E)
      case .artist: EXIFTag(.image, 0x013B)
      case .copyright: EXIFTag(.image, 0x8298)
      case .userComment: EXIFTag(.exposure, 0x9286)
      case .cameraOwnerName: EXIFTag(.exposure, 0xA430)
      }
  }
}
