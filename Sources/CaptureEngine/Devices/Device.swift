import CaptureLoop
import CaptureModel
import CaptureSystem

/// One camera with its default session: the first subscriber determines the format, and the last one to leave stops the stream.
///
/// It lives as long as the node, even while the camera is unplugged. It has the camera and its stream; everything else is in its parts, classes that
/// callers reach through ``run(_:)``. Starts and stops go through a gate. What may block runs on the camera's own queues. The stream stops when
/// nobody wants frames.
public actor Device {
  public nonisolated let id: CameraID
  /// The camera's name in messages.
  nonisolated let name: String
  /// The device runs where it is called: nothing here may block.
  private nonisolated let executor = InlineExecutor()
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  public nonisolated let imaging: Imaging
  let workers: EncoderWorkers
  let limits: NodeLimits
  let traffic: BusTraffic

  let context: DeviceContext
  package var onlookers: Onlookers { context.onlookers }
  package let frameDuration: FrameDurationBounds
  let temporaryStreams: TemporaryStreams
  public let settings: DeviceSettings
  public let inputs: DeviceInputs
  public let profiles: Profiles
  public let calibration: DeviceCalibration
  public let photos: Photos

  /// Judges how the driver answers.
  private var response = ResponseWatch()
  /// The counts of former streams and cameras.
  private(set) var past = PastCounters()

  init(
    _ id: CameraID, imaging: Imaging, workers: EncoderWorkers, limits: NodeLimits, traffic: BusTraffic,
    store: any MemoryStore, report: @escaping @Sendable (CameraNotice) -> Void, activity: PhotoActivity
  ) {
    (self.id, self.imaging, self.traffic) = (id, imaging, traffic)
    (self.workers, self.limits) = (workers, limits)
    name = id.rawValue.quoted
    let tasks = DeviceTasks()
    context = DeviceContext(
      camera: CurrentCamera(id, imaging: imaging, report: report), saved: SavedMemory(of: id, in: store),
      gates: DeviceGates { workers.mostLong }, tasks: tasks,
      timeline: SettingsTimeline(
        report: { changes in tasks.enqueue { $0.settings.applied(changes) } },
        readAgain: { tasks.enqueue { $0.settings.readMovingValues() } }))
    frameDuration = FrameDurationBounds(context)
    temporaryStreams = TemporaryStreams(context, frameDuration)
    settings = DeviceSettings(context, frameDuration)
    inputs = DeviceInputs(context)
    profiles = Profiles(context, settings)
    calibration = DeviceCalibration(context, settings)
    photos = Photos(
      context, settings, frameDuration, inputs, workers: workers, limits: limits, activity: activity)
    tasks.belong(to: self)
  }

  /// Runs `body` on the device. This is the way to its parts. The details of an error name the device.
  public func run<R: Sendable, E: Error>(
    _ body: @Sendable (isolated Device) async throws(E) -> R
  ) async throws(E) -> R {
    do throws(E) {
      return try await body(self)
    } catch {
      if let named = (error as? CaptureError)?.about(device: id) as? E { throw named }
      throw error
    }
  }

  /// Runs `body` on the device, in the order of these calls.
  nonisolated func enqueue(_ body: @escaping @Sendable (isolated Device) -> Void) {
    executor.async { self.assumeIsolated(body) }
  }

  var camera: (any Camera)? { context.camera.present }
  var stream: ActiveStream? { context.stream.active }
  var reservation: CameraReservation? { context.stream.reservation }

  // MARK: Coming and going

  func appeared(_ camera: any Camera) {
    vanished()
    begin(camera)
  }

  private func begin(_ camera: any Camera) {
    context.camera.appeared(camera)
    context.stream.cameraAppeared()
    reservation?.report(.appeared, "")
    inputs.cameraAppeared(camera)
    settings.cameraAppeared(camera)
    Task { [restores = settings.hasToRestore] in await settings.resume(of: camera, restores: restores) }
    if let kept = context.saved.memory.software {
      Task { [latest = settings.lastChange] in
        await settings.resumeAutomation(kept, of: camera, keepingChangesAfter: latest)
      }
    }
  }

  /// Ends everything that runs on the device, at once. It does nothing where no camera is there.
  func vanished() {
    response = ResponseWatch()
    guard let camera = camera ?? context.camera.silent else { return }
    past.add(camera.counters)
    context.camera.vanished()
    end(camera, .vanished, context.camera.unplugged)
  }

  private func end(_ camera: any Camera, _ notice: CameraNotice.Kind, _ error: CaptureError) {
    context.stream.noteFormerStream()
    // Calls that wait for the driver end now; the driver need not answer first.
    (camera as? WatchedCamera)?.refuse(error)
    endStream(error)
    settings.cameraVanished(error)
    inputs.cameraVanished()
    context.camera.noteError(error.message)
    reservation?.report(notice, error.message)
    camera.beginStopping()
  }

  /// Checks how the driver answers. A slow driver is only reported. A camera whose driver does not answer counts as absent until it does. Returns the
  /// new state if it has changed.
  func checkDriver(at now: UInt64 = MonotonicClock.now()) -> Responsiveness? {
    let current = context.camera
    guard let camera = current.present ?? current.silent, camera.hasDriver else { return nil }
    guard let found = response.check(camera.unansweredSince, at: now) else { return nil }
    let notice = response.notice(at: now)
    current.note(notice.kind, notice.text)
    if found == .notResponding, current.present != nil {
      current.vanished(isSilent: true)
      end(camera, .notResponding, current.absence)
    } else if found != .notResponding, current.silent != nil {
      (camera as? WatchedCamera)?.admit()
      begin(camera)
    }
    return found
  }

  /// Counts the frames of a hub that is over.
  func count(_ hub: StreamHub) { past.streams.add(hub.counters) }

  public func status() -> DeviceStatus {
    DeviceStatus(context.camera, stream, inputs.current, past: past, response.state)
  }

  /// Ends the stream and its consumers with `error`, and lets no more of them begin.
  func shutDown(_ error: CaptureError) async {
    context.camera.shutDown(error)
    stream?.hub.end(error)
    settings.endWatches(error)
    await settings.waitForLights()
    await context.gates.stream.enterToCleanUp()
    defer { context.gates.stream.leave() }
    await stopIfIdle()
    if settings.isTorchAutomatic, stream != nil { await stopStream() }
    await settings.finishAutomation()
    await context.stream.settleInUseLight()
  }

  /// Pixel formats with their sizes and intervals.
  public func formats() async throws(CaptureError) -> [FormatDescription] {
    try await context.camera.formats()
  }
}
