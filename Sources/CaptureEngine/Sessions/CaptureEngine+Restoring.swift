import CaptureModel

/// Restores the sessions of the node's last run.
extension CaptureEngine {
  /// Makes dormant sessions again. A session without all its cameras goes on waiting for them. A session that ran runs again as soon as its cameras
  /// can. Sessions whose cameras are there take turns, by their names, where they share a camera: one whose driver hangs holds up no session but those
  /// that share a camera with one that waits.
  func restoreSessions() async {
    for (name, memory) in sessionTable.dormant.sorted(by: { $0.key < $1.key }) {
      // An attempt that waits for its turn will see the newest cameras and formats. One that is under way may have seen the former ones.
      if sessionTable.attempts[name]?.isWaiting == true { continue }
      // The camera that is missing causes an attempt when it comes.
      guard hasCameras(of: memory) else { continue }
      let cameras = Set(memory.configuration.inputs.map(\.camera))
      let earlier = sessionTable.attempts.values.filter { !$0.cameras.isDisjoint(with: cameras) }.map(\.task)
      let task = Task {
        for attempt in earlier { await attempt.value }
        sessionTable.attempts[name]?.isWaiting = false
        await restoreSession(name, memory)
      }
      sessionTable.attempts[name] = SessionTable.Attempt(cameras: cameras, task: task)
    }
    for attempt in sessionTable.attempts.values { await attempt.task.value }
  }

  private func hasCameras(of memory: SessionMemory) -> Bool { missingCameras(of: memory).isEmpty }

  /// The session's cameras that are not there. Cameras are compared by their whole identity: one whose identity only contains that text is another
  /// camera.
  private func missingCameras(of memory: SessionMemory) -> [String] {
    let present = cameras.filter(\.isPresent).map(\.description.id.rawValue)
    return memory.configuration.inputs.map(\.camera).filter { !present.contains($0) }
  }

  private func restoreSession(_ name: String, _ memory: SessionMemory) async {
    // The session may have been closed, or a camera unplugged, while this attempt waited.
    guard sessionTable.sessions[name] == nil, sessionTable.dormant[name] != nil, hasCameras(of: memory) else {
      return
    }
    do throws(CaptureError) {
      _ = try await configureSession(
        name, memory.configuration, starts: memory.isRunning,
        owner: SessionOwner(connection: 0, name: memory.owner, client: memory.client),
        isRestored: true)
    } catch {
      // The session's camera is missing, is taken or lacks the wanted format. That may change with the next camera, or with the camera's source.
      sessionTable.refusals[name] = error.message
    }
  }

  /// Tries again to make the sessions that wait, if one of them has this camera. Its source may have given the camera other formats.
  func formatsChanged(of camera: CameraID) async {
    guard
      sessionTable.dormant.values.contains(where: { memory in
        memory.configuration.inputs.contains { $0.camera == camera.rawValue }
      })
    else { return }
    await restoreSessions()
  }

  /// The status of a session that was not made again yet.
  func dormantStatus(_ name: String) -> SessionStatus? {
    guard let memory = sessionTable.dormant[name] else { return nil }
    let inputs = memory.configuration.inputs
    var status = SessionStatus(
      name: name, isNamed: true, configuration: memory.configuration, owner: memory.owner)
    status.isRunning = memory.isRunning
    status.activeFormats = inputs.map { _ in nil }
    let missing = missingCameras(of: memory)
    if missing.isEmpty {
      status.interruption = sessionTable.refusals[name] ?? "it is being made again"
    } else {
      let names = missing.map { "'\($0)'" }.joined(separator: ", ")
      status.interruption = "\(names) \(missing.count == 1 ? "is" : "are") not there"
    }
    return status
  }
}
