import CaptureLoop
import CaptureModel
import CaptureSystem
import Dispatch
import Synchronization

/// The cameras of this machine's V4L2 drivers: those that are there, and those that come and go.
public actor V4L2Provider: CameraProvider {
  nonisolated let executor: QueueExecutor
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  let selection: CameraSelection
  let memory: BufferMemory
  let paths: SystemPaths
  let system: VideoSystem
  /// How long later video nodes, and ``start(_:)``, wait for a node that does not answer, in nanoseconds. Its camera is served once it answers.
  let patience: UInt64
  private(set) var handler: (@Sendable (CameraProviderEvent) -> Void)?
  private var watch: NodeDirectoryWatch?
  /// When the next scan is due.
  private var nextScan: DispatchTime?

  /// The cameras that have been reported.
  var cameras: [CameraID: (camera: any Camera, node: VideoNode)] = [:]
  /// Nodes that are not cameras for this backend, and why.
  var others: [VideoNode: String] = [:]
  /// Cameras that the selection does not name now. It names one later if a link to its node appears.
  var unselected: [VideoNode: CameraID] = [:]
  /// Nodes that could not be probed, and why. They are tried again.
  var failures: [VideoNode: CaptureError] = [:]
  /// Nodes that /dev has, or had.
  var seen: Set<VideoNode> = []
  /// Nodes that are being probed, in the order in which they are reported.
  var probes: [Probe] = []
  /// Nodes that are no longer in ``probes``, since their drivers have not answered for long. Each is reported once its driver answers.
  var silent: Set<VideoNode> = []
  /// Tasks that wait until no node is being probed.
  var waiters: [CheckedContinuation<Void, Never>] = []
  /// Cameras that have gone, and whose descriptors are still open. `since`: when the camera went, in `CLOCK_MONOTONIC` nanoseconds.
  var closing: [VideoNode: (id: CameraID, since: UInt64)] = [:]
  /// See ``missing``.
  nonisolated let reasons = Mutex<[String]>([])
  /// For a path in the selection, the camera that was first found there. From then on the path means the camera with this identity.
  var boundPaths: [String: CameraID] = [:]

  /// The pause after a change in /dev, in which udev is still at work.
  private static let settling = DispatchTimeInterval.milliseconds(50)
  /// The pause before nodes that failed are tried again: a camera may return without a hot-plug event.
  private static let retry = DispatchTimeInterval.milliseconds(500)
  /// The pause between scans while a selected camera is not there.
  private static let slowRetry = DispatchTimeInterval.seconds(2)

  /// How many bytes the driver's buffers of one camera may take by default: enough for six buffers with pictures of 20 million pixels in YUYV.
  public static let standardBufferLimit = NodeLimit.bufferBytesPerCamera.usual

  /// `bufferLimit`: how many bytes the driver's buffers of one camera may take. To stay below it, the backend uses fewer buffers before it refuses a
  /// stream.
  public init(selection: CameraSelection = .all, bufferLimit: Int = standardBufferLimit) {
    self.init(
      selection: selection, paths: SystemPaths(), system: .live, memory: BufferMemory(limit: bufferLimit))
  }

  init(
    selection: CameraSelection, paths: SystemPaths, system: VideoSystem, memory: BufferMemory = .standard,
    patience: UInt64 = usualPatience
  ) {
    self.selection = selection
    self.memory = memory
    self.paths = paths
    self.system = system
    self.patience = patience
    executor = QueueExecutor(label: "cameras", threads: .own)
  }

  package func start(_ handler: @escaping @Sendable (CameraProviderEvent) -> Void) async {
    precondition(self.handler == nil, "started twice")
    self.handler = handler
    // Without a watch (when no inotify instance is left) the retries find cameras, but later.
    watch = try? NodeDirectoryWatch(paths.dev, on: executor.queue) { [weak self] in
      self?.assumeIsolated { $0.scheduleScan(after: Self.settling) }
    }
    scan()
    if !probes.isEmpty { await withCheckedContinuation { waiters.append($0) } }
  }

  /// Closes the cameras. It waits at most a second for their drivers.
  public func stop() async { await stop(within: .seconds(1)) }

  /// `patience`: how long to wait for the drivers that do not hold a call already.
  func stop(within patience: Duration) async {
    handler = nil
    watch?.cancel()
    watch = nil
    let ending = cameras.values.compactMap { $0.camera as? V4L2Camera }
    cameras = [:]
    others = [:]
    unselected = [:]
    failures = [:]
    _ = await Patience.wait(atMost: patience) {
      await withTaskGroup { group in
        for camera in ending {
          // Clients with a stream have already waited for this camera. It is closed once its driver releases it; nobody waits for that again.
          if camera.isHeld { Task { await camera.close() } } else { group.addTask { await camera.close() } }
        }
      }
    }
  }

  /// Looks for nodes that came or went.
  private func scan() {
    guard handler != nil else { return }
    var known = Set(cameras.values.map(\.node)).union(others.keys).union(unselected.keys)
    known.formUnion(probes.map(\.node))
    known.formUnion(silent)
    known.formUnion(closing.keys)
    // If the nodes cannot be read now, for want of a descriptor for example, that does not mean that they are unplugged.
    guard let nodes = try? paths.videoNodes(known: known.union(failures.keys)) else {
      return scheduleScan(after: Self.retry)
    }
    others = others.filter { nodes.contains($0.key) }
    let selectedNow = unselected.filter { isSelected($0.key.path, $0.value) }
    unselected = unselected.filter { nodes.contains($0.key) && selectedNow[$0.key] == nil }
    failures = failures.filter { nodes.contains($0.key) }
    silent.formIntersection(nodes)
    seen = seen.filter { nodes.contains($0) }
    for (id, known) in cameras where !nodes.contains(known.node) { vanished(id, known.camera) }
    for node in nodes where selectedNow[node] != nil || !known.contains(node) { begin(node) }
    noteMissing()
    if probes.isEmpty { scheduleNextScan() }
  }

  /// Schedules the next scan, if cameras are missing.
  func scheduleNextScan() {
    if !failures.isEmpty || watch == nil {
      scheduleScan(after: Self.retry)
    } else if !missing.isEmpty {
      scheduleScan(after: Self.slowRetry)
    }
  }

  private func vanished(_ id: CameraID, _ camera: any Camera) {
    if let camera = camera as? V4L2Camera { return camera.nodeVanished() }
    cameras[id] = nil
    handler?(.vanished(id))
  }

  /// Reports an unplugged camera at once, unless a new object has taken its place already. The camera is closed on its own threads, which takes as
  /// long as its driver does.
  func gone(_ camera: V4L2Camera) {
    let id = camera.description.id
    guard let known = cameras[id], known.camera === camera else { return }
    cameras[id] = nil
    closing[known.node] = (id, MonotonicClock.now())
    handler?(.vanished(id))
    Task {
      await camera.close()
      closed(known.node)
    }
  }

  private func closed(_ node: VideoNode) {
    closing[node] = nil
    scheduleScan(after: .milliseconds(0))
  }

  /// Runs `body` after `pause` nanoseconds.
  func later(_ pause: UInt64, _ body: @escaping @Sendable (isolated V4L2Provider) -> Void) {
    executor.queue.asyncAfter(deadline: .now() + .nanoseconds(Int(pause))) { [weak self] in
      self?.assumeIsolated { body($0) }
    }
  }

  /// Scans again after `pause`, unless an earlier scan is due. A scan that was due later is replaced by this one: a camera that comes back must not
  /// wait for the retry.
  func scheduleScan(after pause: DispatchTimeInterval) {
    guard handler != nil else { return }
    let due = DispatchTime.now() + pause
    if let nextScan, nextScan <= due { return }
    nextScan = due
    executor.queue.asyncAfter(deadline: due) { [weak self] in
      self?.assumeIsolated {
        guard $0.nextScan == due else { return }
        $0.nextScan = nil
        $0.scan()
      }
    }
  }
}
