import CaptureModel
import Testing

@testable import CaptureImaging

struct EXIFBlockTests {
  /// Two directories by hand, after TIFF 6.0 and EXIF 2.32.
  @Test func itsBytesAreThoseOfTheStandard() {
    var block = EXIFBlock()
    block[.make] = .text("Me")
    block[.model] = .text("Camera")
    block[.exposureTime] = .rationals([.init(1, 50)])
    #expect(
      block.bytes == [
        0x4D, 0x4D, 0, 42, 0, 0, 0, 8,  // the most significant byte first; the first directory is at 8
        0, 3,  // three entries
        0x01, 0x0F, 0, 2, 0, 0, 0, 3, 0x4D, 0x65, 0, 0,  // "Me" fits in
        0x01, 0x10, 0, 2, 0, 0, 0, 7, 0, 0, 0, 50,  // "Camera" is at 50
        0x87, 0x69, 0, 4, 0, 0, 0, 1, 0, 0, 0, 58,  // the next directory is at 58
        0, 0, 0, 0,
        0x43, 0x61, 0x6D, 0x65, 0x72, 0x61, 0, 0,  // filled up to an even place
        0, 1,
        0x82, 0x9A, 0, 5, 0, 0, 0, 1, 0, 0, 0, 76,
        0, 0, 0, 0,
        0, 0, 0, 1, 0, 0, 0, 50,
      ])
  }

  static let fractions: [(value: Double, numerator: UInt32, denominator: UInt32)] = [
    (1.0 / 50, 1, 50), (0.0333, 333, 10_000), (2, 2, 1), (2.5, 5, 2), (0, 0, 1),
    (5_000_000, 5_000_000, 1), (3.67, 367, 100),
  ]

  @Test(arguments: fractions)
  func aNumberIsTheFractionThatAPersonWouldWrite(value: Double, numerator: UInt32, denominator: UInt32) {
    #expect(EXIFValue(value) == .rationals([.init(numerator, denominator)]))
  }

  @Test func whatNoFractionCanBeIsLeftOut() {
    #expect(EXIFValue(-1) == nil && EXIFValue(.nan) == nil && EXIFValue(1e10) == nil)
    #expect(EXIFValue(signed: .infinity) == nil && EXIFValue(signed: -1.5) == .signedRational(-3, 2))
  }

  @Test func whatNobodyKnowsIsAbsent() {
    let block = EXIFBlock(.sample, .sample(), software: "test 1")
    for tag in [
      EXIFTag.make, .exposureTime, .photographicSensitivity, .exposureBiasValue, .whiteBalance, .exposureMode,
      .flash, .focalLength, .fNumber, .dateTimeOriginal, .gpsLatitude,
    ] { #expect(block[tag] == nil) }
    #expect(block[.model] == .text("Camera") && block[.orientation] == .short(1))
    var settings = FrameSettings()
    settings.exposureDuration = Observed(0.02, .unknown)
    #expect(EXIFBlock(.sample, .sample(settings), software: "test 1")[.exposureTime] == nil)
    settings.exposureDuration = Observed(0.02, .assumed)
    #expect(EXIFBlock(.sample, .sample(settings), software: "test 1")[.exposureTime] == EXIFValue(0.02))
  }

  static let flashes: [(mode: LightMode?, outcome: FlashOutcome?, number: UInt16)] = [
    (.on, .fired, 0x09), (.auto, .fired, 0x19), (.auto, .notNeeded, 0x18), (.off, nil, 0x10),
    (nil, nil, 0x20),
  ]

  @Test(arguments: flashes)
  func theFlashTellsItsModeAndWhetherItFired(mode: LightMode?, outcome: FlashOutcome?, number: UInt16) {
    var metadata = PhotoMetadata.sample
    (metadata.flashMode, metadata.hasNoFlash) = (mode, mode == nil)
    var picture = PictureDescription.sample()
    picture.flash = outcome
    #expect(EXIFBlock(metadata, picture, software: "test 1")[.flash] == .short(number))
  }

  @Test func aPlaceIsInDegreesMinutesAndSeconds() {
    var metadata = PhotoMetadata.sample
    metadata.location = GeographicLocation(latitude: -33.999_999_99, longitude: 151.2153, altitude: -4.5)
    let block = EXIFBlock(metadata, .sample(), software: "test 1")
    #expect(block[.gpsLatitudeRef] == .text("S") && block[.gpsLongitudeRef] == .text("E"))
    // Seconds never become 60.
    #expect(block[.gpsLatitude] == .rationals([.init(34, 1), .init(0, 1), .init(0, 1000)]))
    #expect(block[.gpsLongitude] == .rationals([.init(151, 1), .init(12, 1), .init(55_080, 1000)]))
    #expect(block[.gpsAltitudeRef] == .bytes([1]) && block[.gpsAltitude] == .rationals([.init(9, 2)]))
  }

  @Test func aCommentNamesItsCharacters() {
    var metadata = PhotoMetadata.sample
    metadata.tags = [.userComment: "ab"]
    var block = EXIFBlock(metadata, .sample(), software: "test 1")
    #expect(block[EXIFTag(.userComment)] == .undefined(Array("ASCII\0\0\0ab".utf8)))
    metadata.tags = [.userComment: "ä"]
    block = EXIFBlock(metadata, .sample(), software: "test 1")
    #expect(block[EXIFTag(.userComment)] == .undefined(Array("UNICODE\0".utf8) + [0, 0xE4]))
  }
}

extension PhotoMetadata {
  /// A photo of which little is known.
  static let sample = PhotoMetadata(
    imageID: String(repeating: "0", count: 32), node: "a<b", camera: CameraID(rawValue: "usb-1"),
    model: "Camera", serial: "7", serialProvenance: .reported)
}

extension PictureDescription {
  static func sample(_ settings: FrameSettings? = nil) -> PictureDescription {
    let size = FrameSize(width: 64, height: 48)
    var picture = PictureDescription(
      Frame(
        payload: .empty,
        format: StreamFormat(pixelFormat: .mjpeg, size: size, interval: FrameInterval(rate: 50), planes: []),
        sequence: 3,
        timestamp: FrameTimestamp(nanoseconds: 5_000_000_000, clock: .monotonic, source: .startOfExposure)))
    picture.settings = settings
    return picture
  }
}
