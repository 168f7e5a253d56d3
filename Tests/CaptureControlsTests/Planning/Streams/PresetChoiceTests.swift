import CaptureControls
import CaptureModel
import CaptureTestSupport
import Testing

@Suite struct PresetChoiceTests {
  /// A USB webcam: YUYV slow where it is large, MJPEG to 1080p.
  private static let webcam = [
    FakeCamera.format(.yuyv, ["320x240": [30], "640x480": [30], "1280x720": [10], "2304x1536": [2]]),
    FakeCamera.format(
      .mjpeg, ["320x240": [30], "640x360": [30], "640x480": [30], "1280x720": [30, 60], "1920x1080": [30]]),
  ]

  private func resolve(_ preset: SessionPreset, _ formats: [FormatDescription] = webcam) throws
    -> StreamRequest
  {
    let wanted = try choice(formats).wanted(preset)
    return try FormatChoice(camera: "cam", formats: formats, isEncodable: { $0 == .yuyv })
      .choose(wanted.request, for: wanted.purpose)
  }

  private func choice(_ formats: [FormatDescription] = webcam) -> PresetChoice {
    PresetChoice(camera: "cam", formats: formats, isEncodable: { $0 == .yuyv })
  }

  @Test(
    arguments: [
      (.photo, "MJPG", "2304x1536", 2), (.high, "MJPG", "1920x1080", 30), (.medium, "MJPG", "640x480", 30),
      (.low, "MJPG", "320x240", 30), (.vga640x480, "MJPG", "640x480", 30),
      (.hd1280x720, "MJPG", "1280x720", 30), (.hd1920x1080, "MJPG", "1920x1080", 30),
      (.iFrame1280x720, "MJPG", "1280x720", 30), (.inputPriority, "MJPG", "1280x720", 30),
    ] as [(SessionPreset, String, String, Double)])
  func presetsOfAWebcam(preset: SessionPreset, format: String, size: String, rate: Double) throws {
    let stream = try resolve(preset)
    #expect(stream.size.description == size)
    #expect(stream.interval?.rate == rate)
    // The largest stills of this one are raw.
    #expect(stream.pixelFormat.description == (preset == .photo ? "YUYV" : format))
  }

  @Test func aPresetThatNoFormatMeetsIsRefusedNamingTheSizes() {
    let error = #expect(throws: CaptureError.self) { try resolve(.cif352x288) }
    #expect(error?.code == .invalidArgument)
    #expect(
      error?.message.contains(
        "cam has no format for the preset 352x288: its sizes are: 2304x1536, 1920x1080, 1280x720, 640x480, "
          + "640x360, 320x240") == true, "\(error?.message ?? "")")
  }

  @Test func iFramesAreMadeOfRawFramesWhereTheCamerasOwnAreTooManyOrTooFew() throws {
    let formats = [
      FakeCamera.format(.mjpeg, ["1280x720": [60]]), FakeCamera.format(.yuyv, ["1280x720": [10, 25, 60]]),
    ]
    let stream = try resolve(.iFrame1280x720, formats)
    #expect(stream.pixelFormat == .yuyv && stream.interval?.rate == 25)
    let slow = #expect(throws: CaptureError.self) {
      try resolve(.iFrame1280x720, [FakeCamera.format(.yuyv, ["1280x720": [10]])])
    }
    #expect(slow?.message.contains("at 1280x720 its most is 10 fps") == true, "\(slow?.message ?? "")")
  }

  @Test func aSlowCamerasHighIsTheLargestOfItsQuickest() throws {
    let formats = [FakeCamera.format(.yuyv, ["640x480": [15], "800x600": [15], "1600x1200": [5]])]
    #expect(try resolve(.high, formats).size == FrameSize(width: 800, height: 600))
    #expect(try resolve(.low, formats).size == FrameSize(width: 640, height: 480))
  }

  private func stepwise(to maximum: String, now current: String? = nil) -> [FormatDescription] {
    let option = SizeOption(
      from: FrameSize(width: 64, height: 64), to: FrameSize(maximum)!, step: FrameSize(width: 2, height: 2),
      intervals: .unknown, current: current.flatMap { FrameSize($0) })
    return [FormatDescription(pixelFormat: .yuyv, description: "", sizes: [option])]
  }

  @Test func aStepwiseCameraHasTheCommonSizesInItsRange() throws {
    for (preset, size) in [
      (SessionPreset.high, "1920x1080"), (.photo, "1920x1080"), (.medium, "640x480"), (.low, "320x240"),
      (.hd1280x720, "1280x720"), (.inputPriority, "1280x720"),
    ] {
      for maximum in ["2592x1944", "16384x8640"] {
        #expect(try resolve(preset, stepwise(to: maximum)).size.description == size, "\(preset)")
      }
    }
    #expect(try resolve(.photo, stepwise(to: "1600x1200")).size == FrameSize(width: 1600, height: 1200))
    #expect(try resolve(.high, stepwise(to: "200x100")).size == FrameSize(width: 200, height: 100))
  }

  @Test func aStepwiseCameraThatIsSetToASizeKeepsIt() throws {
    let formats = stepwise(to: "16384x8640", now: "1440x900")
    for (preset, size) in [
      (SessionPreset.high, "1440x900"), (.photo, "1440x900"), (.inputPriority, "1440x900"),
      (.medium, "640x480"),
      (.low, "320x240"), (.hd1920x1080, "1920x1080"),
    ] {
      #expect(try resolve(preset, formats).size.description == size, "\(preset)")
    }
    #expect(try resolve(.photo, stepwise(to: "16384x8640", now: "4096x2160")).size.area == 4096 * 2160)
  }

  @Test func aSensorWithoutJPEGGivesRawFrames() throws {
    let formats = [FakeCamera.format(.rggb8, ["640x480": [30]])]
    #expect(try resolve(.high, formats).pixelFormat == .rggb8)
  }

  @Test func anActiveFormatsDurationIsTheCamerasOwnOrRefused() throws {
    let asked = ActiveFormat(
      pixelFormat: .mjpeg, size: FrameSize(width: 1280, height: 720), interval: FrameInterval(rate: 45))
    let wanted = try choice().wanted(asked)
    let stream = try FormatChoice(camera: "cam", formats: Self.webcam, isEncodable: { _ in true })
      .choose(wanted.request, for: wanted.purpose)
    let error = #expect(throws: CaptureError.self) { try choice().check(stream, against: asked) }
    #expect(error?.message == "cam does not give 1280x720 MJPG at 45 fps; it gives: 60 fps, 30 fps")
  }

  @Test func presetsAreCalledAsTheyAreWritten() {
    for preset in SessionPreset.allCases { #expect(SessionPreset(name: preset.name.uppercased()) == preset) }
    #expect(SessionPreset(name: "iframe960x540") == .iFrame960x540)
    #expect(SessionPreset(name: "4k") == nil)
  }
}
