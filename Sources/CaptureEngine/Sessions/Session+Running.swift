import CaptureModel
import CaptureSystem

extension Session {
  /// Starts the session's cameras, all or none (`AVCaptureSession.startRunning`). It does nothing while the session runs. Throws `unavailable` for a
  /// camera that is unplugged, `failedPrecondition` for one that another program has, `resourceExhausted` if the cameras cannot stream beside each
  /// other, and `aborted` for a session that could not be made.
  public func start() async throws(CaptureError) -> SessionStatus {
    try await gate.enter()
    defer { gate.leave() }
    try requireMade()
    guard !isRunning else { return status() }
    var change = Change(configuration: configuration, inputs: inputs, kept: inputs.map(\.device))
    for (index, input) in inputs.enumerated() {
      // The bounds of the frame duration may have changed since the session was configured.
      change.inputs[index].wanted = try await input.device.resolve(
        configuration.preset, input.asked.format)
    }
    try await startStreams(of: &change)
    inputs = change.inputs
    isRunning = true
    for index in inputs.indices {
      // This stream may have changed while others started: the session did not listen to it yet.
      let now = await inputs[index].device.currentStream(for: inputs[index].reservation)
      if let now, inputs[index].stream?.hub === now.hub { inputs[index].stream = now }
      connectMembers(
        of: index, discontinuity: StreamDiscontinuity(.resumed, reason: "the session '\(name)' was started"))
    }
    notify(.started)
    save()
    catchUp()
    return status()
  }

  /// Stops the session's cameras (`AVCaptureSession.stopRunning`). Subscribers wait for its next start.
  public func stop() async throws(CaptureError) -> SessionStatus {
    try await gate.enter()
    defer { gate.leave() }
    try requireMade()
    guard isRunning else { return status() }
    await stopStreams("the session '\(name)' was stopped")
    notify(.stopped)
    save()
    return status()
  }

  /// Runs a session that ran before the node restarted: its cameras start as soon as they can. The caller has entered the gate with which it has made
  /// the session, so a client that stops the session meanwhile has its turn after this.
  func resumeAfterRestart() {
    guard (try? requireOpen()) != nil else { return }
    isRunning = true
    notify(.started)
    save()
    for input in inputs { resume(input.device.id) }
  }

  private func stopStreams(_ reason: String) async {
    isRunning = false
    for index in members.indices {
      members[index].leave()
      members[index].announce(reason)
    }
    for index in inputs.indices {
      (inputs[index].stream, inputs[index].interruption, inputs[index].unpluggedSince) = (nil, nil, nil)
    }
    for input in inputs { await input.device.stopStream(for: input.reservation) }
  }

  // MARK: Events of its cameras

  func handle(_ notice: CameraNotice.Kind, _ reason: String, from camera: CameraID) {
    guard isRunning, let index = inputs.firstIndex(where: { $0.device.id == camera }) else { return }
    switch notice {
    case .interrupted: interrupt(index, .cameraSilent, reason)
    case .resumed: recovered(index)
    case .vanished:
      streamEnded(index)
      inputs[index].unpluggedSince = inputs[index].unpluggedSince ?? MonotonicClock.now()
      interrupt(index, .cameraUnplugged, Self.unplugged(camera))
    case .notResponding:
      streamEnded(index)
      interrupt(index, .cameraSilent, reason, replacesText: true)
    case .ended:
      // Perhaps the camera was unplugged; the attempt to start it again finds out.
      streamEnded(index)
      resume(camera)
    case .appeared:
      inputs[index].reservation.setFailure(nil)
      resume(camera)
    case .reformatted: Task { [weak self] in await self?.reformatted(camera) }
    case .corrupt, .encodingFailed, .controlsRestored, .controlNotRestored, .controlFailing, .slow,
      .responding, .automationEnded:
      break
    }
  }

  private func reformatted(_ camera: CameraID) async {
    await gate.enterToCleanUp()
    defer { gate.leave() }
    await takeFormat(of: camera)
  }

  /// Handles a stream that continues in another format. Its subscribers stay. If the size or the pixel format has changed, each of them is connected
  /// to the stream anew. The caller has entered the gate.
  func takeFormat(of camera: CameraID) async {
    guard let input = inputs.first(where: { $0.device.id == camera }) else { return }
    let wanted = try? await input.device.resolve(configuration.preset, input.asked.format)
    let stream = await input.device.currentStream(for: input.reservation)
    guard let stream, let index = inputs.firstIndex(where: { $0.device.id == camera }),
      inputs[index].stream?.hub === stream.hub
    else { return }
    let former = inputs[index].stream?.format
    inputs[index].wanted = wanted ?? input.wanted
    inputs[index].stream = stream
    if former?.size != stream.format.size || former?.pixelFormat != stream.format.pixelFormat {
      // No discontinuity is given here: the stream itself announces the change to its subscribers.
      connectMembers(of: index, discontinuity: nil)
    }
    notify(.status)
  }

  private func streamEnded(_ index: Int) {
    guard inputs[index].stream != nil else { return }
    inputs[index].stream = nil
    for member in memberIndices(of: inputs[index]) { members[member].streamEnded() }
  }

  /// The text about a camera that was unplugged, whoever noticed that.
  private static func unplugged(_ camera: CameraID) -> String {
    "'\(camera)' was unplugged; its frames go on when it is back"
  }

  /// Interrupts the session, and reports that once for each cause. `replacesText`: whether to report the cause again if its text differs, since
  /// `text` says more than the former one.
  private func interrupt(
    _ index: Int, _ kind: SessionEvent.Interruption, _ text: String, replacesText: Bool = false
  ) {
    let former = inputs[index].interruption
    guard former?.kind != kind || replacesText && former?.text != text else { return }
    inputs[index].interruption = InputInterruption(kind: kind, text: text)
    if inputs[index].stream == nil {
      for member in memberIndices(of: inputs[index]) {
        members[member].announce(text, isUnplugged: kind == .cameraUnplugged)
      }
    }
    notify(.interrupted(kind), text)
  }

  private func recovered(_ index: Int) {
    guard inputs[index].interruption != nil else { return }
    // A camera whose input has no signal streams, too.
    if let reason = inputs[index].stream?.hub.interruption {
      return interrupt(index, .cameraSilent, reason, replacesText: true)
    }
    inputs[index].interruption = nil
    notify(.interruptionEnded, "'\(inputs[index].device.id)' gives frames again")
  }

  // MARK: Coming back

  /// The pause between attempts to start a camera that cannot be started now.
  private static let retryPause = Duration.seconds(1)

  private func resume(_ camera: CameraID) {
    Task { [weak self] in await self?.tryToResume(camera) }
  }

  /// Tries to start the camera after a pause. If other attempts fail during the pause, such as one when the camera comes back, they cause no further
  /// attempt.
  private func resumeAfterPause(_ camera: CameraID) {
    guard retries.insert(camera).inserted else { return }
    Task { [weak self] in
      try? await Task.sleep(for: Self.retryPause)
      await self?.tryToResume(camera, afterPause: true)
    }
  }

  private func tryToResume(_ camera: CameraID, afterPause: Bool = false) async {
    await gate.enterToCleanUp()
    defer { gate.leave() }
    // The camera stays in `retries` until this attempt has its turn: an attempt that fails before then causes no further one.
    if afterPause { retries.remove(camera) }
    guard var input = inputToResume(camera) else { return }
    do throws(CaptureError) {
      // The camera may have come back with other formats.
      input.wanted = try await input.device.resolve(configuration.preset, input.asked.format)
      try await startStream(of: &input, configuration.preset)
      guard let index = inputs.firstIndex(where: { $0.device.id == camera }) else { return }
      (inputs[index].wanted, inputs[index].stream) = (input.wanted, input.stream)
      input.reservation.setFailure(nil)
      var discontinuity = StreamDiscontinuity(
        .resumed, reason: inputs[index].interruption?.text ?? "its stream ended")
      discontinuity.away = inputs[index].unpluggedSince.take().map {
        .nanoseconds(MonotonicClock.now() &- $0)
      }
      connectMembers(of: index, discontinuity: discontinuity)
      recovered(index)
      catchUp()
    } catch {
      guard let index = inputs.firstIndex(where: { $0.device.id == camera }) else { return }
      await handleFailedStart(of: index, error)
    }
  }

  /// The input of this camera, if it should stream and does not.
  private func inputToResume(_ camera: CameraID) -> Input? {
    guard isRunning, (try? requireOpen()) != nil else { return nil }
    return inputs.first { $0.device.id == camera && $0.stream == nil }
  }

  /// Handles a camera that ran and could not be started again. If the camera may become free or come back, or its source may have the wanted format
  /// again, the session is interrupted; otherwise the session stops.
  func handleFailedStart(of index: Int, _ error: CaptureError) async {
    let device = inputs[index].device
    let camera = device.id
    guard let (error, waitsForSource) = await device.obstacle(after: error) else {
      return resumeAfterPause(camera)
    }
    guard let kind = waitsForSource ? .cameraSilent : SessionEvent.Interruption(error) else {
      await stopStreams(error.message)
      failure = error
      return notify(.runtimeError, error.message)
    }
    inputs[index].reservation.setFailure(waitsForSource ? noSource(error, camera) : error)
    interrupt(
      index, kind, kind == .cameraUnplugged ? Self.unplugged(camera) : error.message,
      replacesText: waitsForSource)
    resumeAfterPause(camera)
  }

  /// The error of a photo while the session waits for the camera's source: nothing is wrong with the photo's request.
  private func noSource(_ error: CaptureError, _ camera: CameraID) -> CaptureError {
    CaptureError(.unavailable, error.message, .init(.streamEnded, holder: name, device: camera.rawValue))
  }
}

extension SessionEvent.Interruption {
  /// The interruption by an error that keeps a camera from being started; `nil`: the cause does not pass by itself.
  fileprivate init?(_ error: CaptureError) {
    guard error.code == .unavailable else {
      guard error.cause == .busy else { return nil }
      self = .cameraInUse
      return
    }
    self =
      switch error.details?.reason {
      case .cameraUnplugged?: .cameraUnplugged
      case .nodeDraining?: .nodeDraining
      default: .cameraSilent
      }
  }
}
