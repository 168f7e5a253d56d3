import CaptureLoop
import CaptureModel
import CaptureSynthetic
import CaptureSystem
import CaptureTestSupport
import Synchronization
import Testing

@testable import CaptureEngine

/// The engine with the staged camera, frame by frame: the next one comes when what the last one led to is set.
struct StagedRig {
  let camera: StagedCamera
  let engine: CaptureEngine
  let provider: FakeProvider
  let device: Device
  let software: SoftwareThreeA
  let sink = NobodySink()
  private let notices = NoticeList()

  /// With its delay known, as after a calibration, or not.
  init(
    _ options: PhysicsOptions = .manual(delay: 1), size: FrameSize = FrameSize(width: 160, height: 120),
    isJPEG: Bool = false, isCalibrated: Bool = true, driver: String = "physics",
    largerSizes: [FrameSize] = [], readOnly: Set<ControlID> = []
  ) async throws {
    camera = StagedCamera(
      options, size: size, isJPEG: isJPEG, driver: driver, largerSizes: largerSizes, readOnly: readOnly)
    engine = CaptureEngine(
      imaging: .standard, report: { [notices] in notices.add($0) }, software: { SoftwareThreeA(of: $0) })
    provider = FakeProvider([camera])
    // However busy the machine is.
    await engine.waitAtEnd(.seconds(20))
    await engine.attach(provider)
    device = try engine.device("0")
    software = try #require(await device.run { $0.settings.automation.software })
    for control in try await device.controls() where isCalibrated {
      let delay = MeasuredDelay(frames: options.delay(of: control.control.id), agreeing: 8, trials: 8)
      await device.setDelay(delay, of: control.control.id)
    }
  }

  func stream() async throws -> FrameSubscription {
    let isJPEG = try await device.formats().allSatisfy(\.isCompressed)
    let request = VideoRequest(encoding: isJPEG ? .jpeg : .raw)
    return try await device.subscribe(request, sink: sink, holder: "test")
  }

  /// One frame, and all that follows from it.
  func step(sourceLocation: SourceLocation = #_sourceLocation) async {
    // Frames that others stepped may still be measured, and would be counted with this one.
    await eventually("what came before is measured, and set", sourceLocation: sourceLocation) {
      software.isIdle
    }
    let measured = software.measured + (software.wantsFrames ? 1 : 0)
    #expect(camera.step() != nil, "nobody streams", sourceLocation: sourceLocation)
    await eventually("the frame is measured, and what follows is set", sourceLocation: sourceLocation) {
      software.measured == measured && software.isIdle
    }
  }

  /// The next frame, where a photo waits for one and nothing is being set: others would run ahead of what the engine does, as far as the machine
  /// is busy.
  func stepForPhoto() async {
    if await device.isPhotoWaiting { camera.step() }
  }

  /// Steps until `isDone`; returns the number of frames, `limit` when it was not.
  func steps(_ limit: Int, until isDone: (CameraSettings) -> Bool) async -> Int {
    for count in 1...limit {
      await step()
      if let settings = await device.knownSettings(), isDone(settings) { return count }
    }
    return limit
  }

  /// As if the node began anew with what it had kept: the camera comes.
  func restart(with memory: CameraMemory) async {
    await device.recall(memory)
    await unplug()
    provider.plug(camera)
  }

  /// Unplugs the camera. Returns once it has been stopped, too: it is one object here, and another stream of it would be stopped.
  func unplug() async {
    let stops = camera.stops
    provider.unplug(camera)
    await eventually("it is gone") { await device.camera == nil && camera.stops > stops }
  }

  /// What was told of the camera as a notice of this kind, in order.
  func told(_ kind: CameraNotice.Kind) -> [String] {
    notices.all.filter { $0.kind == kind }.map(\.text)
  }

  func set(_ body: (inout SettingsChange) -> Void) async throws -> CameraSettings {
    var change = SettingsChange()
    body(&change)
    return try await device.set(change).settings
  }
}

extension PhysicsOptions {
  /// Without modes of its own.
  static func manual(delay: Int, seed: UInt64 = 1, parts: Parts = .all) -> PhysicsOptions {
    var options = PhysicsOptions()
    (options.automation, options.delay, options.seed, options.parts) = ([], delay, seed, parts)
    return options
  }
}

extension Device {
  /// Its next frame may be the one of a photo, and what that is to be taken with is set.
  fileprivate var isPhotoWaiting: Bool {
    guard let stream, gates.settings.tryEnter() else { return false }
    gates.settings.leave()
    return stream.hub.consumers.contains { $0 is PhotoConsumer }
  }
}

/// The notices of an engine.
private final class NoticeList: Sendable {
  private let notices = Mutex<[CameraNotice]>([])
  var all: [CameraNotice] { notices.withLock { $0 } }

  func add(_ notice: CameraNotice) { notices.withLock { $0.append(notice) } }
}

/// Keeps a stream running, and of its frames what they were taken with.
final class NobodySink: FrameSink {
  let loop = QueueExecutor(label: "nobody")
  private let settings = Mutex<FrameSettings?>(nil)
  var room: Int { .max }
  /// The settings of the latest frame.
  var latest: FrameSettings? { loop.queue.sync { settings.withLock { $0 } } }

  func offer(_ message: VideoMessage) {
    _ = message.gap(replacing: 0)
    if case .picture(let picture) = message.content {
      settings.withLock { $0 = picture.description.settings }
    }
  }
  func releaseBuffers() {}
}
