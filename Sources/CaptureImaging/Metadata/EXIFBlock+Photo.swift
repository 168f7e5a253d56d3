import CaptureModel

extension EXIFBlock {
  /// The EXIF of a photo. Unknown values are left out. `software`: the program and its version. `file`: the kind of file that the block is written
  /// into.
  package init(
    _ metadata: PhotoMetadata, _ picture: PictureDescription, software: String,
    in file: EXIFBlock.File = .jpeg(isGrey: false)
  ) {
    self.init()
    addPicture(picture, metadata.display)
    if case .jpeg(let isGrey) = file { addJPEG(isGrey) }
    self[.software] = .text(software)
    self[.make] = metadata.make.map { .text($0) }
    self[.model] = .text(metadata.model)
    self[.bodySerialNumber] = .text(metadata.serial)
    self[.imageUniqueID] = .text(metadata.imageID)
    addExposure(metadata, picture.settings)
    self[.flash] = Self.flash(metadata, picture.flash).map { .short($0) }
    addTime(metadata)
    if let lens = metadata.lens { addLens(lens) }
    if let location = metadata.location { addLocation(location) }
    for (tag, text) in metadata.tags {
      self[EXIFTag(tag)] = tag == .userComment ? .undefined(Self.comment(text)) : .text(text)
    }
  }

  /// Adds what EXIF requires of every picture. A resolution of 72 pixels an inch means that the resolution is unknown.
  private mutating func addPicture(_ picture: PictureDescription, _ display: PictureTransform) {
    self[.orientation] = .short(UInt16(display.exifOrientation))
    (self[.xResolution], self[.yResolution]) = (EXIFValue(72), EXIFValue(72))
    self[.resolutionUnit] = .short(2)
    self[.exifVersion] = .undefined(Array("0232".utf8))
    self[.colorSpace] = .short(picture.color.space == .srgb ? 1 : 0xFFFF)
    self[.pixelXDimension] = .long(UInt32(clamping: picture.size.width))
    self[.pixelYDimension] = .long(UInt32(clamping: picture.size.height))
  }

  /// Adds what EXIF requires of a JPEG besides.
  private mutating func addJPEG(_ isGrey: Bool) {
    if !isGrey { self[.yCbCrPositioning] = .short(1) }
    self[.componentsConfiguration] = .undefined(isGrey ? [1, 0, 0, 0] : [1, 2, 3, 0])
    self[.flashpixVersion] = .undefined(Array("0100".utf8))
  }

  private mutating func addExposure(_ metadata: PhotoMetadata, _ settings: FrameSettings?) {
    if let seconds = settings?.exposureDuration?.known, seconds > 0 {
      self[.exposureTime] = EXIFValue(seconds)
    }
    if let iso = settings?.iso?.known, iso >= 1 {
      self[.photographicSensitivity] = .short(UInt16(min(iso.rounded(), 65_535)))
    }
    self[.exposureBiasValue] = settings?.exposureBias?.known.flatMap { EXIFValue(signed: $0) }
    self[.exposureMode] = metadata.exposureMode.map { .short($0 == .auto || $0 == .continuous ? 0 : 1) }
    self[.whiteBalance] = metadata.whiteBalanceMode.map { .short($0 == .locked ? 1 : 0) }
  }

  /// EXIF's number for the flash: bit 0, it fired; bits 3 and 4, its mode; bit 5, there is none.
  private static func flash(_ metadata: PhotoMetadata, _ outcome: FlashOutcome?) -> UInt16? {
    if metadata.hasNoFlash { return 0x20 }
    guard let mode = metadata.flashMode else { return nil }
    let bits: UInt16 =
      switch mode {
      case .on: 0x08
      case .off: 0x10
      case .auto: 0x18
      }
    return bits | (outcome == .fired ? 1 : 0)
  }

  private mutating func addTime(_ metadata: PhotoMetadata) {
    guard let taken = metadata.taken else { return }
    let time = DateText(taken, offset: metadata.utcOffset)
    self[.dateTimeOriginal] = .text(time.exif)
    self[.subSecTimeOriginal] = .text(time.microseconds)
    self[.offsetTimeOriginal] = .text(time.offset)
  }

  private mutating func addLens(_ lens: Lens) {
    self[.lensMake] = lens.make.map { .text($0) }
    self[.lensModel] = lens.model.map { .text($0) }
    self[.focalLength] = lens.focalLength.flatMap { EXIFValue($0) }
    self[.focalLengthIn35mmFilm] = lens.focalLengthIn35mm.map { .short(UInt16(clamping: $0)) }
    self[.fNumber] = lens.fNumber.flatMap { EXIFValue($0) }
  }

  private mutating func addLocation(_ location: GeographicLocation) {
    self[.gpsVersionID] = .bytes([2, 3, 0, 0])
    self[.gpsLatitudeRef] = .text(location.latitude < 0 ? "S" : "N")
    self[.gpsLatitude] = .rationals(Self.sexagesimal(location.latitude))
    self[.gpsLongitudeRef] = .text(location.longitude < 0 ? "W" : "E")
    self[.gpsLongitude] = .rationals(Self.sexagesimal(location.longitude))
    self[.gpsMapDatum] = .text("WGS-84")
    guard let altitude = location.altitude, let value = EXIFValue(abs(altitude)) else { return }
    self[.gpsAltitudeRef] = .bytes([altitude < 0 ? 1 : 0])
    self[.gpsAltitude] = value
  }

  /// Degrees, minutes, and seconds in thousandths. A thousandth of a second is about three centimetres.
  private static func sexagesimal(_ degrees: Double) -> [EXIFValue.Rational] {
    let parts = UInt32((min(abs(degrees), 180) * 3_600_000).rounded())
    let (whole, rest) = parts.quotientAndRemainder(dividingBy: 3_600_000)
    let (minutes, seconds) = rest.quotientAndRemainder(dividingBy: 60_000)
    return [.init(whole, 1), .init(minutes, 1), .init(seconds, 1000)]
  }

  /// The bytes of a comment: eight bytes that name its character set, then its text.
  private static func comment(_ text: String) -> [UInt8] {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return Array("ASCII\0\0\0".utf8) + text.utf8 }
    return Array("UNICODE\0".utf8) + text.utf16.flatMap(\.bigEndianBytes)
  }
}

extension Observed<Double> {
  /// The value; `nil`: its provenance is unknown, or it is not finite.
  var known: Double? { provenance == .unknown || !value.isFinite ? nil : value }
}
