import CaptureLoop
import CaptureModel
import CaptureSystem

/// Probes nodes, each on a thread of its own. The results are reported in the order of the nodes' numbers, but a node that does not answer delays the
/// others by at most ``patience``.
extension V4L2Provider {
  /// The usual ``patience``.
  static let usualPatience: UInt64 = 1_000_000_000
  /// How long a camera that came back waits until its former object is closed, in nanoseconds.
  static let closingPatience: UInt64 = 2_000_000_000

  struct Probe {
    let node: VideoNode
    /// `CLOCK_MONOTONIC` nanoseconds.
    let deadline: UInt64
    var found: NodeProbe?
  }

  func begin(_ node: VideoNode) {
    let failure = DeviceFailure(path: node.path)
    do throws(CaptureError) {
      let thread = try failure.wrap("preparing to look at it") { () throws(Errno) in
        try DeviceThread(label: "control \(node.path.split(separator: "/").last ?? "")")
      }
      probes.append(Probe(node: node, deadline: MonotonicClock.now() + patience))
      later(patience) { $0.reportProbes() }
      thread.serial.async { [weak self, system, memory, executor] in
        let found = NodeProbe(node, system, memory: memory, on: thread)
        executor.queue.async { [weak self] in
          guard let self else { return Self.discard(found) }
          self.assumeIsolated { $0.probed(node, found) }
        }
      }
    } catch {
      failures[node] = error
    }
  }

  private func probed(_ node: VideoNode, _ found: NodeProbe) {
    if silent.remove(node) != nil {
      take(node, found)
      return noteMissing()
    }
    guard let index = probes.firstIndex(where: { $0.node == node }) else { return Self.discard(found) }
    probes[index].found = found
    reportProbes()
  }

  private func reportProbes() {
    while let probe = probes.first {
      guard let found = probe.found else {
        guard MonotonicClock.now() >= probe.deadline else { break }
        silent.insert(probe.node)
        probes.removeFirst()
        continue
      }
      probes.removeFirst()
      take(probe.node, found)
    }
    noteMissing()
    guard probes.isEmpty else { return }
    for waiter in waiters { waiter.resume() }
    waiters = []
    scheduleNextScan()
  }

  /// Handles the result of probing a node.
  private func take(_ node: VideoNode, _ found: NodeProbe) {
    failures[node] = nil
    if !found.isAbsent { seen.insert(node) }
    guard let handler else { return Self.discard(found) }
    switch found {
    case .other(let what): others[node] = what
    case .failed(let error):
      failures[node] =
        found.isAbsent && !seen.contains(node) && node.isListed
        ? DeviceFailure(path: node.path).neverThere : error
    case .unusable(let description):
      guard isSelected(node.path, description.id) else { return unselected[node] = description.id }
      guard requireNew(description.id, node) else { return }
      let camera = UnusableCamera(description)
      cameras[description.id] = (camera, node)
      handler(.appeared(camera))
    case .camera(let description, let control, let end):
      guard isSelected(node.path, description.id) else {
        unselected[node] = description.id
        return Self.discard(found)
      }
      guard requireNew(description.id, node) else { return Self.discard(found) }
      do throws(CaptureError) {
        let camera = try V4L2Camera(description, control, end: end, system: system, memory: memory)
        cameras[description.id] = (camera, node)
        handler(.appeared(camera))
        end.onReached { [weak self, executor] in
          executor.queue.async { [weak self] in self?.assumeIsolated { $0.gone(camera) } }
        }
        camera.open()
        // The camera may have gone while it was probed.
        scheduleScan(after: .milliseconds(0))
      } catch {
        failures[node] = error
        Self.discard(found)
      }
    }
  }

  /// Returns whether no former object of the camera is left. Otherwise it notes a failure, so that the node is tried again. An object that is being
  /// closed counts for at most ``closingPatience``: the kernel may not let go of it.
  private func requireNew(_ id: CameraID, _ node: VideoNode) -> Bool {
    let now = MonotonicClock.now()
    let isClosing = closing.contains { $0.value.id == id && $0.value.since + Self.closingPatience > now }
    guard isClosing || cameras[id] != nil else { return true }
    failures[node] = DeviceFailure(path: node.path)(.busy, "opening it again")
    return false
  }

  /// Closes what a probe has opened.
  private static func discard(_ found: NodeProbe) {
    if case .camera(_, let control, _) = found { Task { await control.close() } }
  }

  func isSelected(_ path: String, _ id: CameraID) -> Bool {
    guard case .only(let specifications) = selection else { return true }
    var isSelected = false
    for specification in specifications where matches(specification, path, id) {
      if specification.hasPrefix("/") { boundPaths[specification] = id }
      isSelected = true
    }
    return isSelected
  }

  func matches(_ specification: String, _ path: String, _ id: CameraID) -> Bool {
    if let bound = boundPaths[specification] { return bound == id }
    return CameraSelection.matches(specification, path: path, id: id)
  }
}
