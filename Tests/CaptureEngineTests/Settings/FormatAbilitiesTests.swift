import CaptureControls
import CaptureEngine
import CaptureModel
import CaptureTestSupport
import Testing

/// What differs from format to format, and what does not.
@Suite(.timeLimit(.minutes(1))) struct FormatAbilitiesTests {
  private static func camera(controls: [ControlDescription] = []) -> FakeCamera {
    let formats = ["YUYV", "MJPG", "RGGB", "H264"].map { name in
      FakeCamera.format(PixelFormat(name)!, ["640x480": [5, 30], "1280x720": [10]])
    }
    let camera = FakeCamera(formats: formats)
    camera.state.withLock { $0.controls = controls }
    return camera
  }

  private static func abilities(of camera: FakeCamera) async throws -> [String: FormatAbilities] {
    let device = try await engine(camera, imaging: .standard).device("0")
    let formats = try await device.formatsWithAbilities()
    return Dictionary(uniqueKeysWithValues: formats.map { ("\($0.format.pixelFormat)", $0.abilities) })
  }

  private static let zoom = ControlDescription(
    id: .zoomAbsolute, name: "zoom_absolute", label: "Zoom, Absolute", type: .integer, minimum: 100,
    maximum: 500, defaultValue: 100)
  private static let exposure = ControlDescription(
    id: .exposureAbsolute, name: "exposure_time_absolute", label: "Exposure Time, Absolute", type: .integer,
    minimum: 1, maximum: 5000, defaultValue: 100)

  @Test func aDigitalZoomShowsOnlyWhereTheNodeCanCutFrames() async throws {
    let abilities = try await Self.abilities(of: Self.camera())
    #expect(abilities.mapValues(\.maximumZoom) == ["YUYV": 8, "MJPG": 8, "RGGB": 8, "H264": 1])
    #expect(abilities.mapValues(\.maximumRawZoom) == ["YUYV": 8, "MJPG": 8, "RGGB": 1, "H264": 1])
  }

  @Test func aCamerasOwnZoomShowsInEveryFormat() async throws {
    let abilities = try await Self.abilities(of: Self.camera(controls: [Self.zoom]))
    for name in ["YUYV", "MJPG", "RGGB", "H264"] {
      #expect(abilities[name]?.maximumZoom == 5 && abilities[name]?.maximumRawZoom == 5, "\(name)")
    }
    let cropping = Self.camera()
    let whole = PixelArea(x: 0, y: 0, width: 1280, height: 720)
    cropping.state.withLock { $0.crop = SensorCrop(whole: whole, area: whole) }
    #expect(try await Self.abilities(of: cropping)["H264"]?.maximumRawZoom == 8)
  }

  @Test func turningConvertingAndMeasuringDependOnTheFormat() async throws {
    let abilities = try await Self.abilities(of: Self.camera())
    #expect(abilities.mapValues(\.isTurnable) == ["YUYV": true, "MJPG": false, "RGGB": false, "H264": false])
    #expect(
      abilities.mapValues(\.isMeasurable) == ["YUYV": true, "MJPG": true, "RGGB": false, "H264": false])
    for name in ["YUYV", "MJPG", "RGGB"] { #expect(abilities[name]?.targets == PixelTarget.allCases) }
    #expect(abilities["H264"]?.targets == [])
  }

  /// The contract says so of `FormatDescription`.
  @Test func theRangesOfExposureAndZoomAreTheSameInEveryFormat() async throws {
    let camera = Self.camera(controls: [Self.exposure, Self.zoom])
    let device = try await engine(camera, imaging: .standard).device("0")
    let idle = try await device.settingsDescription()
    #expect(idle.exposure?.duration?.maximum == 0.5 && idle.zoom?.maximum == 5)
    for (name, size, rate) in [("YUYV", "640x480", 30.0), ("YUYV", "1280x720", 10), ("MJPG", "640x480", 5)] {
      let sink = TestSink()
      let subscription = try await device.subscribe(
        VideoRequest(encoding: .raw, pixelFormat: PixelFormat(name), size: FrameSize(size), rate: rate),
        sink: sink, holder: "1")
      let running = camera.state.withLock { $0.stream }
      #expect(running?.size == FrameSize(size) && running?.interval?.rate == rate)
      let description = try await device.settingsDescription()
      #expect(description.exposure == idle.exposure && description.zoom == idle.zoom, "\(name) \(size)")
      await device.unsubscribe(subscription)
      await eventually("it stops") { camera.state.withLock { $0.stream == nil } }
    }
  }

  @Test func theZoomIsUnknownWhileTheControlsCannotBeRead() async throws {
    let camera = Self.camera(controls: [Self.zoom])
    camera.state.withLock { $0.holdsControls = true }
    defer { camera.releaseControls() }
    let device = try await engine(camera, imaging: .standard).device("0")
    let formats = try await device.formatsWithAbilities()
    #expect(formats.count == 4)
    #expect(formats.allSatisfy { $0.abilities.maximumZoom == nil && $0.abilities.maximumRawZoom == nil })
    #expect(formats[0].abilities.isTurnable)
  }
}
