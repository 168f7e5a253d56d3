import CaptureModel
import CaptureSystem
import Testing

@testable import CaptureWire

@Suite struct DescriptionMappingTests {
  private func throughTheWire<M: WireMessage>(_ message: M) throws -> M {
    try message.encoded().withUnsafeBytes { bytes throws(WireError) in try M(decoding: bytes) }
  }

  @Test func formatsKeepDiscreteStepwiseAndRangedSizes() throws {
    let thirty = CaptureModel.FrameInterval(numerator: 1, denominator: 30)!
    let slow = CaptureModel.FrameInterval(numerator: 1, denominator: 5)!
    let format = CaptureModel.FormatDescription(
      pixelFormat: .yuyv, description: "YUYV 4:2:2", isCompressed: false, isEmulated: true,
      sizes: [
        .init(discrete: FrameSize(width: 640, height: 480), intervals: .discrete([thirty, slow])),
        .init(discrete: FrameSize(width: 320, height: 240), intervals: .unknown),
        .init(
          from: FrameSize(width: 16, height: 16), to: FrameSize(width: 1920, height: 1080),
          step: FrameSize(width: 2, height: 2), intervals: .range(minimum: thirty, maximum: slow, step: nil),
          current: FrameSize(width: 1280, height: 720)),
      ])
    let message = try throughTheWire(FormatDescription(format, jpeg: true))
    #expect(message.model == format)
    #expect(message.jpeg)
  }

  @Test(arguments: [nil] + CaptureModel.JPEGConversion.allCases)
  func whoMakesTheJPEGIsKept(conversion: CaptureModel.JPEGConversion?) throws {
    let format = CaptureModel.FormatDescription(pixelFormat: .yuyv, description: "", sizes: [])
    let message = try throughTheWire(FormatDescription(format, jpeg: conversion != nil, by: conversion))
    #expect(message.jpegConversion.model == conversion)
    #expect(Conversion(rawValue: 77).model == nil)
  }

  @Test(arguments: [
    CaptureModel.ControlType.integer, .boolean, .menu, .button, .integer64, .controlClass, .string, .bitmask,
    .integerMenu, .u8, .u16, .u32, .compound(0x0110),
  ])
  func controlsKeepTheirType(type: CaptureModel.ControlType) throws {
    let control = CaptureModel.ControlDescription(
      id: ControlID(rawValue: 0x1234_5678), name: "x", label: "X", type: type, minimum: -5, maximum: 9,
      step: 2,
      defaultValue: 3, menu: [.init(index: 1, content: .name("one")), .init(index: 4, content: .value(50))],
      elements: 6, dimensions: [2, 3], flags: [.readOnly, .volatile], className: "Image")
    let message = try throughTheWire(ControlDescription(control, value: .integer(7)))
    #expect(message.model == control)
    #expect(try message.value?.model() == .integer(7))
    #expect(message.readOnly && message.isVolatile && !message.inactive)
  }

  @Test(arguments: [
    CaptureModel.ControlValue.integer(-1), .text("ü"), .integers([1, -2]), .raw([0, 255]),
  ])
  func controlValuesSurvive(value: CaptureModel.ControlValue) throws {
    #expect(try throughTheWire(ControlValue(value)).model() == value)
  }

  @Test func framesTellHowTheyShowTheSensor() throws {
    let format = StreamFormat(
      pixelFormat: .yuyv, size: FrameSize(width: 640, height: 480), interval: nil, planes: [])
    let frame = Frame(
      payload: Payload(copying: []), format: format, sequence: 0,
      timestamp: FrameTimestamp(nanoseconds: 0, clock: .monotonic, source: .endOfFrame))
    var picture = PictureDescription(frame)
    let plain = FrameInfo(picture, clock: UTCClock())
    #expect(plain.region == nil && plain.view == .identity)
    picture.connection = try PictureTransform(cropFactor: 2, orientation: .clockwise90, isMirrored: true)
    picture.settings = CaptureModel.FrameSettings()
    picture.settings?.zoomFactor = Observed(2, .reported)
    let info = try throughTheWire(FrameInfo(picture, clock: UTCClock()))
    #expect(info.orientation == 90 && info.mirrored)
    #expect(info.region == Region(x: 0.375, y: 0.375, width: 0.25, height: 0.25))
    #expect(info.view == picture.view)
    // As the contract describes it.
    let place = try NormalizedPoint(x: 0.25, y: 1)
    let (u, v) = (place.y, 1 - (1 - place.x))
    let point = info.view.devicePoint(forPicturePoint: place)
    #expect(abs(point.x - (0.375 + u * 0.25)) < 1e-9 && abs(point.y - (0.375 + v * 0.25)) < 1e-9)
    // A zoom that is not known just now is left out; what cannot be is as if nothing had been done.
    picture.settings?.zoomFactor?.provenance = .unknown
    #expect(FrameInfo(picture, clock: UTCClock()).region == Region(x: 0.25, y: 0.25, width: 0.5, height: 0.5))
    #expect(
      FrameInfo(region: Region(x: 0.5, y: 0, width: 1, height: .nan), orientation: 45).view == .identity)
  }

  @Test func framesTellTheirColours() throws {
    let source = StreamFormat(
      pixelFormat: .yuyv, size: FrameSize(width: 640, height: 480), interval: nil, planes: [],
      color: ColorDescription(space: .rec709, transfer: .smpte240M, matrix: .rec709))
    let frame = Frame(
      payload: Payload(copying: []), format: source, sequence: 0,
      timestamp: FrameTimestamp(nanoseconds: 0, clock: .monotonic, source: .endOfFrame))
    let raw = try throughTheWire(FrameInfo(PictureDescription(frame), clock: UTCClock()))
    #expect(
      raw.colour == Colour(space: .rec709, transferFunction: .smpte240m, matrix: .rec709, range: .limited))
    // JFIF has one matrix and one range; primaries and transfer function are not converted.
    let jpeg = PictureDescription(jpegOf: frame, size: source.size, encodeTime: .zero)
    #expect(
      try throughTheWire(FrameInfo(jpeg, clock: UTCClock())).colour
        == Colour(space: .rec709, transferFunction: .smpte240m, matrix: .rec601, range: .full))
  }

  @Test func camerasKeepWhatIsKnownAboutThem() throws {
    let camera = CameraDescription(
      id: CameraID(rawValue: "usb-1"), name: "C920", model: "046d:0825", driver: "uvcvideo", bus: "usb-1",
      path: "/dev/video0", serial: "1A", position: .back, isMultiplanar: true, unusableReason: "no driver")
    var roster = CameraRoster()
    roster.appeared(CameraDescription(id: CameraID(rawValue: "other"), name: "Other", driver: "x"))
    roster.appeared(camera)
    let vanished = roster.vanished(camera.id)
    let entry = try #require(vanished)
    let message = try throughTheWire(
      Device(entry))
    #expect(message.camera == camera)
    #expect(message.index == 1 && !message.present && !message.usable)
  }

  @Test func requestsKeepWhatWasAskedAndWhatWasNot() throws {
    let full = VideoRequest(
      encoding: .raw, pixelFormat: .nv12, size: FrameSize(width: 640, height: 480), rate: 12.5)
    #expect(try throughTheWire(SubscribeRequest(device: "0", full)).model() == full)
    #expect(try throughTheWire(SubscribeRequest(device: "0", VideoRequest())).model() == VideoRequest())
    let transform = PictureTransform(
      crop: try NormalizedRect(x: 0.25, y: 0, width: 0.5, height: 1), orientation: .clockwise90,
      isMirrored: true)
    for gravity in CaptureModel.VideoGravity.allCases {
      let turned = VideoRequest(
        size: FrameSize(width: 64, height: 48), gravity: gravity, quality: 7, subsampling: .s420,
        transform: transform)
      #expect(try throughTheWire(SubscribeRequest(device: "0", turned)).model() == turned)
    }
    for mode in CaptureModel.LightMode.allCases {
      let lit = VideoRequest(transform: transform, allowsNoSignal: true, flash: mode)
      #expect(try throughTheWire(CapturePhotoRequest(device: "0", PhotoRequest(lit))).model().frame == lit)
    }
    let photo = VideoRequest(size: FrameSize(width: 64, height: 48), quality: 95, subsampling: .s422)
    #expect(try throughTheWire(CapturePhotoRequest(device: "0", PhotoRequest(photo))).model().frame == photo)
    let unchecked = VideoRequest(isChecked: false)
    #expect(
      try throughTheWire(CapturePhotoRequest(device: "0", PhotoRequest(unchecked))).model().frame == unchecked
    )
  }

  @Test func aPhotosFormatsKeepTheirValues() throws {
    let frame = VideoRequest(settling: .zero)
    let turned = VideoRequest(
      encoding: .raw, pixelFormat: .rggb8, transform: PictureTransform(orientation: .clockwise90))
    let small = VideoRequest(size: FrameSize(width: 32, height: 24))
    let request = PhotoRequest(
      frame,
      formats: [
        .init(.jpeg, VideoRequest(quality: 50)), .init(.png, small), .init(.dng, turned),
        .init(.raw, VideoRequest(encoding: .raw, pixelFormat: .yuyv)),
      ])
    let read = try throughTheWire(CapturePhotoRequest(device: "0", request)).model()
    #expect(read.frame == frame && read.formats.map(\.type) == [.jpeg, .png, .dng, .raw])
    #expect(read.formats[0].picture.quality == 50 && read.formats[0].picture.size == nil)
    #expect(read.formats[1].picture.size == small.size && read.formats[1].picture.target == .rgb24)
    #expect(read.formats[2].picture.pixelFormat == .rggb8)
    #expect(read.formats[2].picture.transform == turned.transform)
    #expect(read.formats[3].picture.pixelFormat == .yuyv)
    // Those without a picture of their own have the common one, as far as it concerns them.
    let common = PhotoSettings(
      rendition: Rendition(size: Size(width: 64, height: 48), quality: 95),
      formats: [.init(type: .png), .init(type: .dng), .init(type: .jpeg)])
    let formats = try CapturePhotoRequest(settings: common).model().formats
    let size = FrameSize(width: 64, height: 48)
    #expect(formats[0].picture.size == size && formats[1].picture.size == nil)
    #expect(formats[2].picture.size == size && formats.map(\.picture.quality) == [nil, nil, 95])
  }

  /// Each value is a sensible one, and would have no effect.
  @Test(arguments: [
    (PhotoSettings(rendition: Rendition(size: Size(width: 64, height: 48))), "rendition.size"),
    (PhotoSettings(rendition: Rendition(crop: Region(width: 0.5, height: 1))), "rendition.crop"),
    (PhotoSettings(rendition: Rendition(orientation: 90)), "rendition.orientation"),
    (PhotoSettings(rendition: Rendition(mirrored: true)), "rendition.mirrored"),
    (PhotoSettings(rendition: Rendition(quality: 20)), "rendition.quality"),
    (PhotoSettings(rendition: Rendition(subsampling: .subsampling420)), "rendition.subsampling"),
    (
      PhotoSettings(rendition: Rendition(sourcePixelFormat: PixelFormat.yuyv.rawValue)),
      "rendition.source_pixel_format"
    ),
    (PhotoSettings(tags: [.init(name: "Artist", value: "Ada")]), "tags"), (PhotoSettings(shot: "7"), "shot"),
    (PhotoSettings(thumbnail: Size(width: 160, height: 120)), "thumbnail"),
    (PhotoSettings(orientation: PhotoOrientation(degrees: 90)), "orientation"),
    (PhotoSettings(orientationMethod: .encoded), "orientation_method"),
  ]) func whatRawBytesCannotHaveIsRefusedUnlessAnotherFileCan(settings: PhotoSettings, field: String) throws {
    var settings = settings
    settings.formats = [.init(type: .raw)]
    let error = #expect(throws: CaptureError.self) { try CapturePhotoRequest(settings: settings).model() }
    #expect(error?.code == .invalidArgument && error?.details?.field == "settings.\(field)")
    settings.formats.append(.init(type: .jpeg))
    _ = try CapturePhotoRequest(settings: settings).model()
  }

  @Test func aCommonQualityNeedsAJPEG() throws {
    for rendition in [Rendition(quality: 20), Rendition(subsampling: .subsampling422)] {
      var settings = PhotoSettings(rendition: rendition, formats: [.init(type: .png)])
      let error = #expect(throws: CaptureError.self) { try CapturePhotoRequest(settings: settings).model() }
      #expect(error?.message.contains("a PNG has no") == true)
      settings.formats.append(.init())
      _ = try CapturePhotoRequest(settings: settings).model()
    }
    // Each has its own.
    let own = PhotoSettings(
      rendition: Rendition(quality: 20), formats: [.init(type: .jpeg, rendition: Rendition(quality: 30))])
    let error = #expect(throws: CaptureError.self) { try CapturePhotoRequest(settings: own).model() }
    #expect(error?.details?.field == "settings.rendition.quality")
  }

  @Test func aPhotosSmallPicturesOrientationAndIDKeepTheirValues() throws {
    var request = PhotoRequest(VideoRequest())
    request.thumbnail = FrameSize(width: 160, height: 120)
    request.preview = FrameSize(width: 640, height: 480)
    request.orientation = PictureTransform(orientation: .clockwise270, isMirrored: true)
    request.id = "a"
    for method in CaptureModel.OrientationMethod.allCases {
      request.orientationMethod = method
      #expect(try throughTheWire(CapturePhotoRequest(device: "0", request)).model() == request)
    }
    let resolved = ResolvedPhoto(
      files: [
        .init(
          .jpeg, size: FrameSize(width: 6, height: 4), source: .mjpeg, isReencoded: true,
          orientationMethod: .encoded),
        .init(.png, size: FrameSize(width: 4, height: 6), source: .mjpeg, orientationMethod: .flag),
      ], flash: .auto, settling: .milliseconds(300), thumbnail: FrameSize(width: 3, height: 2))
    #expect(try throughTheWire(ResolvedPhotoSettings(resolved)).model == resolved)
  }

  @Test(arguments: [
    PhotoSettings(thumbnail: Size(width: 161, height: 1)), PhotoSettings(thumbnail: Size(width: 1)),
    PhotoSettings(withoutMetadata: true, thumbnail: Size(width: 16, height: 16)),
    PhotoSettings(preview: Size(width: 1, height: 65_536)),
    PhotoSettings(orientation: PhotoOrientation(degrees: 45)),
    PhotoSettings(rendition: Rendition(orientation: 90), orientation: PhotoOrientation(degrees: 90)),
    PhotoSettings(withoutMetadata: true, orientationMethod: .flag),
    PhotoSettings(rendition: Rendition(quality: 9), orientationMethod: .lossless),
    PhotoSettings(orientationMethod: .init(rawValue: 9)),
    PhotoSettings(requestID: String(repeating: "x", count: 129)),
  ])
  func settingsThatNoPhotoHasAreRefusedByName(settings: PhotoSettings) {
    let error = #expect(throws: CaptureError.self) { try CapturePhotoRequest(settings: settings).model() }
    #expect(error?.code == .invalidArgument)
    #expect(error?.details?.field?.hasPrefix("settings.") == true, "\(error?.details?.field ?? "")")
  }

  @Test(arguments: [
    [CaptureWire.PhotoFormat(type: .init(rawValue: 9))],
    [CaptureWire.PhotoFormat(), CaptureWire.PhotoFormat(type: .jpeg)],
    [CaptureWire.PhotoFormat(type: .png, rendition: Rendition(quality: 5))],
    [CaptureWire.PhotoFormat(type: .png, rendition: Rendition(encoding: .jpeg))],
    [CaptureWire.PhotoFormat(type: .dng, rendition: Rendition(size: Size(width: 64, height: 48)))],
    [CaptureWire.PhotoFormat(type: .dng, rendition: Rendition(pixelFormat: 7))],
    [CaptureWire.PhotoFormat(type: .dng, rendition: Rendition(crop: Region(width: 0.5, height: 1)))],
    Array(repeating: CaptureWire.PhotoFormat(type: .raw), count: 9),
  ])
  func filesThatNoPhotoHasAreRefusedByName(formats: [CaptureWire.PhotoFormat]) {
    let error = #expect(throws: CaptureError.self) {
      try CapturePhotoRequest(settings: PhotoSettings(formats: formats)).model()
    }
    #expect(error?.code == .invalidArgument)
    #expect(error?.details?.field?.hasPrefix("settings.formats") == true, "\(error?.details?.field ?? "")")
  }

  @Test func aPhotosTagsAndMetadataKeepTheirValues() throws {
    var photo = VideoRequest()
    photo.tags = [.copyright: "Ä, 2026", .artist: "Ada"]
    #expect(try throughTheWire(CapturePhotoRequest(device: "0", PhotoRequest(photo))).model().frame == photo)
    (photo.tags, photo.hasMetadata) = ([:], false)
    #expect(try throughTheWire(CapturePhotoRequest(device: "0", PhotoRequest(photo))).model().frame == photo)
    var metadata = CaptureModel.PhotoMetadata(
      imageID: "1f", node: "desk", camera: CameraID(rawValue: "usb-1"), make: "Maker", model: "Webcam",
      serial: "9", serialProvenance: .derived)
    #expect(try throughTheWire(PhotoMetadata(metadata)).values == metadata)
    (metadata.exposureMode, metadata.whiteBalanceMode) = (.custom, .continuous)
    (metadata.flashMode, metadata.hasNoFlash) = (.auto, true)
    metadata.lens = CaptureModel.Lens(
      make: "L", model: "M", focalLength: 3.67, focalLengthIn35mm: 28, fNumber: 2)
    metadata.location = CaptureModel.GeographicLocation(latitude: -1.5, longitude: 2.25, altitude: 0)
    metadata.taken = UTCTime(nanoseconds: 5, uncertainty: 6, isSynchronised: true)
    (metadata.utcOffset, metadata.tags) = (-3600, [.userComment: "x"])
    metadata.display = PictureTransform(orientation: .clockwise270, isMirrored: true)
    #expect(try throughTheWire(PhotoMetadata(metadata)).values == metadata)
  }

  @Test(arguments: [
    (CaptureWire.PhotoTag(name: "Author", value: "Bob"), "name"),
    (CaptureWire.PhotoTag(name: "Copyright"), "value"),
    (CaptureWire.PhotoTag(name: "Copyright", value: "a\nb"), "value"),
    (CaptureWire.PhotoTag(name: "Artist", value: "Bob"), "name"),
  ])
  func tagsThatCannotBeWrittenAreRefused(tag: CaptureWire.PhotoTag, field: String) {
    let tags = [CaptureWire.PhotoTag(name: "Artist", value: "Ada"), tag]
    let error = #expect(throws: CaptureError.self) {
      try CapturePhotoRequest(settings: PhotoSettings(tags: tags)).model()
    }
    #expect(error?.code == .invalidArgument && error?.details?.field == "settings.tags[1].\(field)")
    let ada = CaptureWire.PhotoTag(name: "Artist", value: "Ada")
    let both = #expect(throws: CaptureError.self) {
      try CapturePhotoRequest(settings: PhotoSettings(tags: [ada], withoutMetadata: true)).model()
    }
    #expect(both?.details?.reason == .fieldsExclusive)
  }

  @Test(arguments: [
    Rendition(encoding: .init(rawValue: 9)), Rendition(gravity: .init(rawValue: 9)),
    Rendition(orientation: 45), Rendition(orientation: .max),
    Rendition(crop: Region(x: 0.5, width: 0.6, height: 1)),
    Rendition(crop: Region(width: .nan, height: 1)), Rendition(crop: Region()), Rendition(quality: 101),
    Rendition(subsampling: .init(rawValue: 3)), Rendition(encoding: .raw, quality: 50),
    Rendition(gravity: .resize),
  ])
  func aPictureThatNoCameraCouldGiveIsRefused(rendition: Rendition) {
    let video = #expect(throws: CaptureError.self) { try SubscribeRequest(rendition: rendition).model() }
    let photo = #expect(throws: CaptureError.self) {
      try CapturePhotoRequest(settings: PhotoSettings(rendition: rendition)).model()
    }
    #expect(video?.code == .invalidArgument && photo?.code == .invalidArgument)
  }

  @Test func aPhotoIsAJPEGWithAFlashModeThatIsKnown() {
    for settings in [
      PhotoSettings(rendition: Rendition(encoding: .raw)), PhotoSettings(flash: .init(rawValue: 7)),
    ] {
      let error = #expect(throws: CaptureError.self) { try CapturePhotoRequest(settings: settings).model() }
      #expect(error?.code == .invalidArgument)
    }
  }

  @Test func aPhotoMayWaitForNothingAndNotForTooLong() throws {
    for bound in [Duration?.none, .zero, .milliseconds(1), .seconds(30)] {
      let photo = VideoRequest(settling: bound)
      #expect(
        try throughTheWire(CapturePhotoRequest(device: "0", PhotoRequest(photo))).model().frame == photo)
    }
    // Part of a millisecond is not nothing.
    let short = CapturePhotoRequest(device: "0", PhotoRequest(VideoRequest(settling: .microseconds(1))))
    #expect(try short.model().frame.settling == .milliseconds(1))
    let long = CapturePhotoRequest(
      device: "0", settings: PhotoSettings(settle: SettlingBound(longestMs: 30_001)))
    let error = #expect(throws: CaptureError.self) { try long.model() }
    #expect(error?.code == .invalidArgument && error?.message.contains("it waits 0 to 30 s") == true)
    #expect(error?.details?.field == "settings.settle.longest_ms")
  }

  @Test func aFrameTellsEachOfItsNumbers() throws {
    for setting in CaptureModel.FrameSettings.settings {
      var one = CaptureModel.FrameSettings()
      one[setting] = .init(0.25, .observed)
      let model = try throughTheWire(CaptureWire.FrameSettings(one)).model
      // Flips are set as controls, and nothing is told of them.
      #expect((model == one) == (setting.frameField != nil), "\(setting)")
    }
  }

  @Test func aFrameTellsItsWhiteBalance() throws {
    var settings = CaptureModel.FrameSettings()
    settings.temperature = .init(4000, .assumed)
    settings.whiteBalanceGains = .init(WhiteBalanceGains(red: 2, green: 1, blue: 1.5), .assumed)
    let told = try throughTheWire(CaptureWire.FrameSettings(settings))
    #expect(told.temperature == CaptureWire.Observed(value: 4000, provenance: .assumed))
    #expect(told.whiteBalanceGains == ColourGains(red: 2, green: 1, blue: 1.5))
    #expect(told.whiteBalanceGainsProvenance == .assumed)
    let nothing = try throughTheWire(CaptureWire.FrameSettings(CaptureModel.FrameSettings()))
    #expect(nothing.whiteBalanceGains == nil && nothing.whiteBalanceGainsProvenance == .unspecified)
  }

  @Test func timestampsKeepClockAndSource() throws {
    for clock in [FrameTimestamp.Clock.unknown, .monotonic, .copy] {
      for source in [FrameTimestamp.Source.endOfFrame, .startOfExposure] {
        let timestamp = FrameTimestamp(nanoseconds: 7, clock: clock, source: source)
        let info = FrameInfo(
          timestampNs: 7, timestampClock: TimestampClock(clock), timestampSource: TimestampSource(source))
        #expect(try throughTheWire(info).timestamp == timestamp)
      }
    }
  }
}
