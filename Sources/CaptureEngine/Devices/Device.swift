import CaptureModel
import CaptureSystem

/// One camera with its default session: whoever subscribes first fixes the format, the last one to leave stops the stream.
///
/// Lives as long as the node, also while the camera is unplugged. It keeps the camera and its stream; everything else is a part of it, a class that is
/// reached through ``run(_:)``. Starting and stopping go through a gate, so that no two overlap; everything that may block runs on the camera's own
/// queues. The stream stops as soon as nobody wants frames: the format is free for the next one, the camera's light is off.
public actor Device {
  public nonisolated let id: CameraID
  /// Names the camera in messages.
  nonisolated let name: String
  /// It runs where it is called: nothing here may block.
  private nonisolated let executor = GuestExecutor()
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  nonisolated let imaging: Imaging
  let workers: EncoderWorkers
  let limits: NodeLimits
  let traffic: BusTraffic

  let context: DeviceContext
  public let settings: DeviceSettings
  public let inputs: DeviceInputs
  public let profiles: Profiles
  public let calibration: DeviceCalibration
  public let photos: Photos

  /// How its driver answers.
  private var response = ResponseWatch()
  /// Of streams and cameras that are over.
  var past = PastCounters()

  init(
    _ id: CameraID, imaging: Imaging, workers: EncoderWorkers, limits: NodeLimits, traffic: BusTraffic,
    store: any MemoryStore, report: @escaping @Sendable (CameraNotice) -> Void
  ) {
    (self.id, self.imaging, self.traffic) = (id, imaging, traffic)
    (self.workers, self.limits) = (workers, limits)
    name = id.rawValue.quoted
    let tasks = DeviceTasks()
    context = DeviceContext(
      camera: CurrentCamera(id, imaging: imaging, report: report), kept: KeptMemory(of: id, in: store),
      tasks: tasks,
      timeline: SettingsTimeline(
        tell: { changes in tasks.enqueue { $0.settings.applied(changes) } },
        readAgain: { tasks.enqueue { $0.settings.observed.readMovingValues() } }))
    settings = DeviceSettings(context)
    inputs = DeviceInputs(context)
    profiles = Profiles(context, settings)
    calibration = DeviceCalibration(context, settings)
    photos = Photos(context, settings, inputs, workers: workers)
    tasks.belong(to: self)
  }

  /// Runs `body` on the device: the way to its parts.
  public func run<R: Sendable, E: Error>(
    _ body: @Sendable (isolated Device) async throws(E) -> R
  ) async throws(E) -> R {
    try await body(self)
  }

  /// Runs `body` on the device, in the order of these calls.
  nonisolated func enqueue(_ body: @escaping @Sendable (isolated Device) -> Void) {
    executor.async { self.assumeIsolated(body) }
  }

  var camera: (any Camera)? { context.camera.present }
  var stream: ActiveStream? { context.stream.active }
  var hold: CameraHold? { context.stream.hold }

  // MARK: Coming and going

  func appeared(_ camera: any Camera) {
    if self.camera != nil || context.camera.silent != nil { vanished() }
    response = ResponseWatch()
    begin(camera)
  }

  private func begin(_ camera: any Camera) {
    context.camera.appeared(camera)
    context.stream.cameraAppeared()
    hold?.tell(.appeared)
    inputs.cameraAppeared(camera)
    settings.cameraAppeared(camera)
    let memory = context.kept.memory
    if !memory.controls.isEmpty { Task { await settings.restoreControls(of: camera, isTold: true) } }
    if memory.software != nil { Task { await settings.resumeAutomation(of: camera) } }
  }

  /// Ends everything that runs on it, at once.
  func vanished() {
    response = ResponseWatch()
    guard let camera = camera ?? context.camera.silent else { return }
    past.add(camera.counters)
    context.camera.left()
    end(camera, CaptureError(.unavailable, "\(name) was unplugged"))
  }

  private func end(_ camera: any Camera, _ error: CaptureError) {
    context.stream.endsByItself()
    // Whoever waits for its driver hears it now, not from the driver.
    (camera as? WatchedCamera)?.refuse(error)
    close(error)
    settings.cameraVanished(error)
    inputs.cameraVanished()
    context.camera.failed(error.message)
    hold?.tell(.vanished)
    Task { await camera.stopStreaming() }
  }

  /// Looks how its driver answers. One that is slow is told of, nothing else; one that does not answer is as one that is not there, until it does.
  /// Returns the new state, where it is another one.
  func lookAtDriver(at now: UInt64 = MonotonicClock.now()) -> Responsiveness? {
    let here = context.camera
    guard let camera = here.present ?? here.silent, camera.hasDriver else { return nil }
    guard let found = response.look(camera.owedSince, at: now) else { return nil }
    switch found {
    case .slow: here.note(.slow, "its driver has not answered for \(response.seconds(at: now)) s")
    case .responding: here.note(.responding, "its driver answers again")
    case .notResponding:
      here.note(
        .notResponding,
        "its driver has not answered for \(response.seconds(at: now)) s: what waits for it ends, and what comes is refused until it answers"
      )
    }
    if found == .notResponding, here.present != nil {
      here.left(isSilent: true)
      end(camera, here.absence)
    } else if found != .notResponding, here.silent != nil {
      (camera as? WatchedCamera)?.admit()
      begin(camera)
    }
    return found
  }

  public func status() -> DeviceStatus {
    DeviceStatus(context.camera, stream, inputs.current, past: past, response.state)
  }

  /// No more streams or photos; what runs ends with `error`.
  func shutDown(_ error: CaptureError) async {
    context.camera.shutDown(error)
    stream?.hub.end(error)
    settings.watchers.end(error)
    // A photo's light is put out.
    await context.gates.enterToCleanUp(.flash)
    context.gates.leave(.flash)
    await context.gates.enterToCleanUp(.stream)
    defer { context.gates.leave(.stream) }
    await stopIfIdle()
    guard settings.isTorchAutomatic else { return }
    if stream != nil { await stopStream() }
    await settings.endAutomaticTorch()
  }

  // MARK: Formats

  /// Pixel formats with their sizes and intervals.
  public func formats() async throws(CaptureError) -> [FormatDescription] {
    try await context.camera.formats()
  }

  /// Whether a format can be delivered as JPEG.
  public nonisolated func canDeliverJPEG(_ pixelFormat: PixelFormat) -> Bool {
    pixelFormat.isJPEG || imaging.isEncodable(pixelFormat)
  }

  /// Who makes JPEGs of a format; `nil`: nobody.
  public nonisolated func jpegConversion(of pixelFormat: PixelFormat) -> JPEGConversion? {
    pixelFormat.isJPEG ? .asItIs : imaging.conversion(pixelFormat)
  }
}
