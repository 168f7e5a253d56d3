import CaptureEngine
import CaptureModel
import CaptureTestSupport
import Synchronization
import Testing

@Suite struct ControlMemoryTests {
  private static let brightness = ControlDescription(
    id: ControlID(rawValue: 1), name: "brightness", label: "Brightness", type: .integer, maximum: 255)
  private static let exposure = ControlDescription(
    id: ControlID(rawValue: 2), name: "exposure", label: "Exposure", type: .integer, maximum: 255)
  private static let automatic = ControlDescription(
    id: ControlID(rawValue: 3), name: "auto", label: "Auto", type: .boolean, maximum: 1)
  private static let reset = ControlDescription(
    id: ControlID(rawValue: 4), name: "reset", label: "Reset", type: .button)

  private static func camera(exposureFlags: ControlFlags = []) -> FakeCamera {
    let camera = FakeCamera("usb-1")
    var exposure = exposure
    exposure.flags = exposureFlags
    camera.state.withLock { $0.controls = [brightness, exposure, automatic, reset] }
    return camera
  }

  private static func set(_ assignments: KeyValuePairs<String, Int64>, on device: Device)
    async throws
  {
    _ = try await device.set(
      assignments.map { NamedAssignment(name: $0, value: .value(.integer($1))) }, clamping: false)
  }

  private static func values(_ camera: FakeCamera) -> [ControlAssignment] {
    camera.state.withLock(\.assignments)
  }

  @Test func whatClientsSetIsSetAgainOnAReturnWithModesAheadOfValues() async throws {
    let (first, back) = (Self.camera(), Self.camera())
    let provider = FakeProvider([first])
    let notices = Mutex<[CameraNotice]>([])
    let engine = CaptureEngine(imaging: .fake()) { notice in notices.withLock { $0.append(notice) } }
    await engine.attach(provider)
    let device = try engine.device("usb-1")
    try await Self.set(["exposure": 10, "brightness": 77], on: device)
    try await Self.set(["auto": 0, "exposure": 20, "reset": 1], on: device)
    provider.unplug(first)
    provider.plug(back)
    await eventually("it is told") { notices.withLock { $0.contains { $0.kind == .controlsRestored } } }
    #expect(
      Self.values(back) == [
        ControlAssignment(Self.automatic.id, .integer(0)),
        ControlAssignment(Self.brightness.id, .integer(77)),
        ControlAssignment(Self.exposure.id, .integer(20)),
      ])
  }

  @Test func whatFailsIsToldAndTheRestIsSetAllTheSame() async throws {
    let (first, back) = (Self.camera(), Self.camera(exposureFlags: .inactive))
    back.state.withLock { $0.brokenControls = [Self.automatic.id] }
    let provider = FakeProvider([first])
    let engine = CaptureEngine(imaging: .fake())
    await engine.attach(provider)
    let device = try engine.device("usb-1")
    try await Self.set(["auto": 0, "exposure": 20, "brightness": 77], on: device)
    provider.unplug(first)
    provider.plug(back)
    await eventually("it is set") {
      Self.values(back) == [ControlAssignment(Self.brightness.id, .integer(77))]
    }
    let status = await device.status()
    #expect(status.lastError == "'auto' could not be set again: the camera does not answer")
    #expect(status.lastErrorAge < .seconds(60))
  }

  @Test func aStreamStartsWithWhatWasSet() async throws {
    let camera = Self.camera()
    let device = try await engine(camera).device("0")
    // However busy the machine is.
    await device.waitForRestoration(.seconds(20))
    try await Self.set(["brightness": 77], on: device)
    camera.state.withLock { $0.assignments = [] }
    _ = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    #expect(Self.values(camera) == [ControlAssignment(Self.brightness.id, .integer(77))])
  }

  @Test func aRestartedStreamToo() async throws {
    let camera = Self.camera()
    let device = try await engine(camera).device("0")
    _ = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    try await Self.set(["brightness": 77], on: device)
    camera.state.withLock { $0.assignments = [] }
    camera.emit(discontinuity: StreamDiscontinuity(.resumed, reason: "restarted"))
    await eventually("it is set") {
      Self.values(camera) == [ControlAssignment(Self.brightness.id, .integer(77))]
    }
  }
}
