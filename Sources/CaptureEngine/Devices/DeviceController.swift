import CaptureModel
import CaptureSystem
import Synchronization

/// One camera with its default session: whoever subscribes first fixes the format, the last one to leave stops the stream.
///
/// Lives as long as the node, also while the camera is unplugged. Starting and stopping go through a turnstile, so that no two overlap;
/// everything that may block runs on the camera's own queues. The stream stops as soon as nobody wants frames: the format is free
/// for the next one, the camera's light is off.
public actor DeviceController {
  public nonisolated let id: CameraID
  /// Names the camera in messages.
  nonisolated let name: String
  /// It runs where it is called: nothing here may block.
  nonisolated let executor = GuestExecutor()
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  let imaging: Imaging
  let workers: EncoderWorkers
  private let traffic: BusTraffic
  /// Of starting and stopping.
  let turnstile = Turnstile()
  /// Of setting controls.
  let settingTurn = Turnstile()
  /// Of photos with flash.
  let flashTurn = Turnstile()
  let report: @Sendable (CameraNotice) -> Void

  private(set) var camera: (any Camera)? {
    didSet { description = camera?.description ?? description }
  }
  /// The latest known.
  private var description: CameraDescription?
  var stream: ActiveStream? {
    didSet {
      guard (stream == nil) != (oldValue == nil) else { return }
      settingsState.adjusting = []
      meterForWatches()
    }
  }
  private(set) var knownFormats: [FormatDescription]? {
    didSet {
      isCuttable = (knownFormats ?? []).contains {
        imaging.isEncodable($0.pixelFormat) || imaging.isTurnable($0.pixelFormat)
      }
    }
  }
  /// The node can cut frames of one of them.
  private(set) var isCuttable = false
  /// Of streams and cameras that are over.
  var past = PastCounters()
  /// What clients set, and what is to outlive the node.
  var memory: CameraMemory {
    didSet { if memory != oldValue { store.keep(memory, of: id) } }
  }
  let store: any MemoryStore
  var settingsState = SettingsState()
  /// Which frame has which settings.
  nonisolated let timeline: SettingsTimeline
  private var shutdown: CaptureError?
  /// The session that has this camera.
  var hold: CameraHold?

  /// A stream that runs.
  struct ActiveStream {
    let hub: StreamHub
    let format: StreamFormat
    /// Frames a second that its first subscriber asked for.
    var askedRate: Double?
  }

  init(
    _ id: CameraID, imaging: Imaging, workers: EncoderWorkers, traffic: BusTraffic, store: any MemoryStore,
    report: @escaping @Sendable (CameraNotice) -> Void
  ) {
    self.id = id
    self.store = store
    memory = store.memory(of: id)
    self.report = report
    name = "'\(id)'"
    self.imaging = imaging
    self.workers = workers
    self.traffic = traffic
    let controller = ControllerReference()
    timeline = SettingsTimeline(
      tell: { changes in controller.value?.enqueue { $0.applied(changes) } },
      readAgain: { controller.value?.enqueue { $0.readMovingValues() } })
    settingsState.ownZoom = memory.zoom ?? 1
    settingsState.flashMode = memory.flash ?? .off
    (settingsState.frameDuration, settingsState.keptFrameDuration) =
      (memory.frameDuration, memory.frameDuration)
    settingsState.asked.exposureMode = memory.exposureMode
    settingsState.asked.balancesByGains = memory.controls.balancesByGains
    controller.set(self)
  }

  // MARK: Coming and going

  func appeared(_ camera: any Camera) {
    if self.camera != nil { vanished() }
    self.camera = camera
    knownFormats = nil
    hold?.tell(.appeared)
    settingsAppeared(camera)
    restoreLamp()
    if !memory.controls.isEmpty { Task { await restoreControls(of: camera, isTold: true) } }
    if memory.software != nil { Task { await resumeSoftware(of: camera) } }
  }

  /// Ends everything that runs on it, at once.
  func vanished() {
    guard let camera else { return }
    let error = CaptureError(.unavailable, "\(name) was unplugged")
    self.camera = nil
    close(error)
    settingsVanished(error)
    past.add(camera.counters)
    past.streams.lastError = PastError(error.message)
    hold?.tell(.vanished)
    Task { await camera.stopStreaming() }
  }

  /// No more streams or photos; what runs ends with `error`.
  func shutDown(_ error: CaptureError) async {
    shutdown = error
    stream?.hub.end(error)
    endWatches(error)
    // A photo's light is put out.
    await flashTurn.enterToCleanUp()
    flashTurn.leave()
    await turnstile.enterToCleanUp()
    defer { turnstile.leave() }
    await stopIfIdle()
    guard isTorchAutomatic else { return }
    if stream != nil { await stopStream() }
    await endAutomaticTorch()
  }

  /// The camera. Throws `unavailable` when it is unplugged, `failedPrecondition` when it cannot be driven here.
  ///
  /// `isCleaningUp`: also while the node ends.
  func presentCamera(isCleaningUp: Bool = false) throws(CaptureError) -> any Camera {
    if let shutdown, !isCleaningUp { throw shutdown }
    guard let camera else {
      throw CaptureError(.unavailable, "\(name) is unplugged; its place is kept for its return")
    }
    if let reason = camera.description.unusableReason {
      throw CaptureError(.failedPrecondition, "\(name) cannot be used: \(reason)")
    }
    return camera
  }

  // MARK: Formats

  /// Pixel formats with their sizes and intervals.
  public func formats() async throws(CaptureError) -> [FormatDescription] {
    let camera = try presentCamera()
    if let knownFormats { return knownFormats }
    let formats = try await camera.formats()
    if self.camera === camera { knownFormats = formats }
    return formats
  }

  /// Whether a format can be delivered as JPEG.
  public nonisolated func canDeliverJPEG(_ pixelFormat: PixelFormat) -> Bool {
    pixelFormat.isJPEG || imaging.isEncodable(pixelFormat)
  }

  // MARK: The stream. Callers are in the turnstile.

  /// Starts what `request` asks for.
  func start(_ request: VideoRequest, for purpose: FormatChoice.Purpose) async throws(CaptureError)
    -> ActiveStream
  {
    let wanted = try await choose(request, for: purpose, within: settingsState.frameDuration)
    var stream = try await start(wanted, for: purpose)
    stream.askedRate = request.rate
    if self.stream?.hub === stream.hub { self.stream = stream }
    return stream
  }

  /// Starts exactly this.
  func start(_ wanted: StreamRequest, for purpose: FormatChoice.Purpose = .video) async throws(CaptureError)
    -> ActiveStream
  {
    let camera = try presentCamera()
    let hub = StreamHub(
      camera: name, imaging: imaging, workers: workers, timeline: timeline,
      software: purpose == .photo ? nil : settingsState.software
    ) { [weak self, hold] kind, text in
      self?.streamTold(kind, text)
      hold?.streamTold(kind, text)
    }
    async let prepared: Void = prepareSettings(of: camera)
    timeline.streamStarted(interval: wanted.interval)
    let format: StreamFormat
    do throws(CaptureError) {
      format = try await camera.startStreaming(wanted, into: hub)
    } catch {
      timeline.streamEnded()
      throw traffic.explain(error, of: camera.description)
    }
    await prepared
    let stream = ActiveStream(hub: hub, format: format)
    guard self.camera === camera else {
      timeline.streamEnded()
      throw CaptureError(.unavailable, "\(name) was unplugged")
    }
    if let shutdown {
      await camera.stopStreaming()
      timeline.streamEnded()
      throw shutdown
    }
    guard format.size == wanted.size, format.pixelFormat == wanted.pixelFormat else {
      await camera.stopStreaming()
      timeline.streamEnded()
      throw CaptureError(
        .invalidArgument,
        "\(name) was asked for \(wanted.size) \(wanted.pixelFormat) and gave \(format.size) \(format.pixelFormat)"
      )
    }
    self.stream = stream
    traffic.note(camera.description, format)
    // What depends on the format.
    if settingsState.known != nil { await prepareSettings(of: camera) }
    await restoreControlsForStream(of: camera)
    await restoreCrop(of: camera)
    return stream
  }

  /// What to stream for a request.
  func choose(
    _ request: VideoRequest, for purpose: FormatChoice.Purpose,
    within durations: SettingsChange.FrameDuration?
  ) async throws(CaptureError) -> StreamRequest {
    try request.validate()
    let camera = try presentCamera()
    var offered: [FormatDescription] = []
    for format in try await formats() {
      guard let size = request.sourceSize, format.hasStepwise(size) else {
        offered.append(format)
        continue
      }
      let intervals = try await camera.intervals(for: format.pixelFormat, at: size)
      offered.append(format.pinned(to: size, intervals: intervals))
    }
    var choice = FormatChoice(
      camera: name, formats: offered, preferredSize: camera.preferredSize, isEncodable: imaging.isEncodable,
      isTurnable: imaging.isTurnable)
    guard let durations else { return try choice.choose(request, for: purpose) }
    // A format that is within the bounds by itself need not reach them.
    let free = try? choice.choose(request, for: purpose)
    if let free, let interval = free.interval, durations.contains(interval) { return free }
    choice.formats = try kept(offered, within: durations, for: request)
    // Where there would be more without the bounds, the most within them it is.
    choice.takesLess = request.rate == nil || free != nil
    var bound = request
    bound.keep(to: durations)
    return try choice.choose(bound, for: purpose)
  }

  /// Stops the stream when nobody wants it. A session's runs until that stops it.
  func stopIfIdle() async {
    guard hold == nil, let stream, stream.hub.isIdle else { return }
    await stopStream()
  }

  func stopStream() async {
    let camera = self.camera
    close(CaptureError(.unavailable, "the stream was stopped"))
    await camera?.stopStreaming()
    ProgramCode.letGo()
  }

  /// The stream tells something, on the capture queue.
  private nonisolated func streamTold(_ kind: CameraNotice.Kind, _ text: String) {
    notify(kind, text)
    switch kind {
    case .ended: Task { await streamEnded() }
    case .resumed:
      // It was restarted: some drivers forget controls then.
      Task {
        if let camera = await camera { await restoreControls(of: camera, isTold: false) }
      }
    default: break
    }
  }

  /// The stream ended by itself; its subscribers know.
  private func streamEnded() {
    guard let stream, stream.hub.state.withLock({ $0.end != nil }) else { return }
    close(CaptureError(.unavailable, "the stream ended"))
  }

  /// It could not be started again.
  func end(_ stream: ActiveStream, _ error: CaptureError) {
    if self.stream?.hub === stream.hub { close(error) }
  }

  private func close(_ error: CaptureError) {
    // Also of one that was to start, and will not.
    timeline.streamEnded()
    guard let stream else { return }
    stream.hub.end(error)
    past.add(stream.hub.state.withLock(\.counters))
    self.stream = nil
    if isTorchAutomatic { Task { await endAutomaticTorch() } }
    if let description { traffic.note(description, nil) }
  }

  /// The stream as a request has to fit into it.
  func running(_ stream: ActiveStream) -> RunningStream {
    RunningStream(
      camera: name, format: stream.format, isEncodable: imaging.isEncodable(stream.format.pixelFormat),
      isTurnable: imaging.isTurnable(stream.format.pixelFormat), holder: stream.hub.holder)
  }
}

/// Breaks the circle between a controller and what tells it something.
private final class ControllerReference: Sendable {
  private let reference = Mutex(WeakReference())
  private struct WeakReference { weak var controller: DeviceController? }
  var value: DeviceController? { reference.withLock { $0.controller } }
  func set(_ controller: DeviceController) { reference.withLock { $0.controller = controller } }
}
