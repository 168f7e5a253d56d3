import CaptureModel
import CaptureSystem
import Dispatch

/// The cameras of this machine's V4L2 drivers: those there are, and those that come and go.
public actor V4L2Provider: CameraProvider {
  private nonisolated let executor: QueueExecutor
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  let selection: CameraSelection
  let paths: SystemPaths
  let system: VideoSystem
  private var handler: (@Sendable (CameraEvent) -> Void)?
  private var watch: NodeDirectoryWatch?
  /// When the next look is due.
  private var nextLook: DispatchTime?

  /// Cameras that have been reported.
  var cameras: [CameraID: (camera: any Camera, node: VideoNode)] = [:]
  /// Nodes that are no camera of ours, and why.
  var others: [VideoNode: String] = [:]
  /// Cameras that the selection does not name, or not yet: a link to one may come after it.
  var unselected: [VideoNode: CameraID] = [:]
  /// Nodes that could not be looked at, and why. Tried again.
  var failures: [VideoNode: CaptureError] = [:]
  /// The camera that a path in the selection turned out to be: it is followed by identity from then on.
  var boundPaths: [String: CameraID] = [:]

  /// After a change in /dev: udev is still at work then.
  private static let settling = DispatchTimeInterval.milliseconds(50)
  /// For nodes that failed: hot-plug events are not the only sign of a return.
  private static let retry = DispatchTimeInterval.milliseconds(500)
  /// For what is selected and not there.
  private static let slowRetry = DispatchTimeInterval.seconds(2)

  public init(selection: CameraSelection = .all) {
    self.init(selection: selection, paths: SystemPaths(), system: .live)
  }

  init(selection: CameraSelection, paths: SystemPaths, system: VideoSystem) {
    self.selection = selection
    self.paths = paths
    self.system = system
    executor = QueueExecutor(label: "cameras", threads: .own)
  }

  public func start(_ handler: @escaping @Sendable (CameraEvent) -> Void) {
    precondition(self.handler == nil, "started twice")
    self.handler = handler
    // Without a watch (no inotify instances left) the retries find cameras, later.
    watch = try? NodeDirectoryWatch(paths.dev, on: executor.queue) { [weak self] in
      self?.assumeIsolated { $0.scheduleLook(after: Self.settling) }
    }
    look()
  }

  public func stop() async {
    handler = nil
    watch?.cancel()
    watch = nil
    let closing = cameras.values
    cameras = [:]
    others = [:]
    unselected = [:]
    failures = [:]
    for (camera, _) in closing { await (camera as? V4L2Camera)?.close() }
  }

  /// What of the selection is not there now, each with the reason for a person; of a selection of all, what could not be opened. Empty when all
  /// is there.
  public func missing() -> [String] {
    guard case .only(let specifications) = selection else { return failures.values.map(\.message).sorted() }
    return specifications.compactMap { specification in
      cameras.contains { isMeant(specification, $0.value.node.path, $0.key) }
        ? nil : absence(of: specification)
    }
  }

  private func look() {
    guard let handler else { return }
    // What cannot be told now, as without a descriptor, is no unplugging.
    guard let nodes = try? paths.videoNodes() else { return scheduleLook(after: Self.retry) }
    others = others.filter { nodes.contains($0.key) }
    unselected = unselected.filter { nodes.contains($0.key) && !isSelected($0.key.path, $0.value) }
    failures = [:]
    for (id, known) in cameras where !nodes.contains(known.node) { vanished(id, known.camera) }
    let known = Set(cameras.values.map(\.node)).union(others.keys).union(unselected.keys)
    for node in nodes where !known.contains(node) {
      if let camera = probe(node) { handler(.appeared(camera)) }
    }
    if !failures.isEmpty || watch == nil {
      scheduleLook(after: Self.retry)
    } else if !missing().isEmpty {
      scheduleLook(after: Self.slowRetry)
    }
  }

  private func vanished(_ id: CameraID, _ camera: any Camera) {
    if let camera = camera as? V4L2Camera { return camera.nodeVanished() }
    cameras[id] = nil
    handler?(.vanished(id))
  }

  /// A camera is unplugged and closed. It may be back already.
  func closed(_ id: CameraID) {
    guard cameras.removeValue(forKey: id) != nil else { return }
    handler?(.vanished(id))
    scheduleLook(after: .milliseconds(0))
  }

  /// Looks again after a pause, or sooner if that is due already. A later look gives way: a camera that comes back must not wait for
  /// the retry.
  private func scheduleLook(after pause: DispatchTimeInterval) {
    guard handler != nil else { return }
    let due = DispatchTime.now() + pause
    if let nextLook, nextLook <= due { return }
    nextLook = due
    executor.queue.asyncAfter(deadline: due) { [weak self] in
      self?.assumeIsolated {
        guard $0.nextLook == due else { return }
        $0.nextLook = nil
        $0.look()
      }
    }
  }
}
