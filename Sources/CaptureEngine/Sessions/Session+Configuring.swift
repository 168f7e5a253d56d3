import CaptureModel

extension Session {
  /// A prepared change of the session: cameras are taken, formats chosen and streams started, but nobody sees it yet.
  struct Change {
    var configuration: SessionConfiguration
    var inputs: [Input] = []
    /// The inputs whose cameras the session did not have before.
    var taken: [Input] = []
    /// The cameras that go on as they are.
    var kept: [Device] = []

    func keeps(_ device: Device) -> Bool { kept.contains { $0 === device } }
  }

  /// Configures the session as `asked`, as a whole or not at all. `cameras`: the session's cameras, by the names in `asked`. `revision`: the revision
  /// for which the change was made; 0: any. `starts`: whether the session starts in the same step. `isNew`: whether the caller of this method has
  /// made the session. Only such a call configures a session for the first time: any other call closes a session that has not been configured by
  /// then. `isRestored`: whether the configuration comes from the disk; it is not stored again, and a session that starts does not wait for its cameras.
  ///
  /// Throws `invalidArgument` for what is impossible, `failedPrecondition` for a camera that is taken, `aborted` for another revision,
  /// `resourceExhausted` where streams cannot run beside each other, and `unavailable` where a named session cannot be stored. Then nothing has
  /// changed.
  func configure(
    _ asked: SessionConfiguration, cameras: [String: Device], revision: UInt64, starts: Bool,
    isNew: Bool, isRestored: Bool
  ) async throws(CaptureError) -> SessionStatus {
    let asked = try asked.validated()
    try await gate.enter()
    defer { gate.leave() }
    try requireOpen()
    guard isNew || self.revision > 0 else {
      await closeInTurn(notMade)
      throw notMade
    }
    try require(revision)
    var change = try await prepare(asked, cameras)
    let startsAtOnce = starts && !isRestored
    do throws(CaptureError) {
      try CaptureError.checkCancellation()
      var storedBefore: SessionMemory?
      if !isRestored {
        storedBefore = try await saved?.storeDurably(
          SessionMemory(asked, isRunning: isRunning || starts, owner: owner.name, client: owner.client),
          orElse: "the session '\(name)' was not configured")
      }
      if isRunning || startsAtOnce {
        do throws(CaptureError) { try await startStreams(of: &change) } catch {
          if !isRestored { saved?.save(storedBefore) }
          throw error.namingInput(in: asked, cameras)
        }
      }
    } catch {
      await release(change.taken)
      throw error
    }
    await commit(change, starts: startsAtOnce)
    // What is stored of a restored session may say that it runs, which it does not yet. A node that is killed meanwhile is not to forget that.
    if !isRestored { save() } else if starts { resumeAfterRestart() }
    return status()
  }

  // MARK: Preparing

  private func prepare(
    _ asked: SessionConfiguration, _ cameras: [String: Device]
  ) async throws(CaptureError) -> Change {
    var change = Change(configuration: asked)
    do throws(CaptureError) {
      for (index, input) in asked.inputs.enumerated() {
        guard let device = cameras[input.camera] else { continue }
        let isInSession = inputs.contains { $0.device === device }
        do throws(CaptureError) {
          try await isInSession ? adjust(device, input, &change) : reserve(device, input, &change)
        } catch { throw error.naming(input, at: index, device) }
      }
    } catch {
      await release(change.taken)
      throw error
    }
    return change
  }

  private func reserve(
    _ device: Device, _ asked: SessionConfiguration.Input, _ change: inout Change
  ) async throws(CaptureError) {
    let id = device.id
    let reservation = CameraReservation(session: name) { [weak self] kind, reason in
      self?.enqueue { $0.handle(kind, reason, from: id) }
    }
    reservation.setAsked(change.configuration.preset, asked.format)
    try await device.reserve(for: reservation)
    // `wanted` is replaced below, once the format is chosen.
    var input = Input(
      device: device, reservation: reservation, asked: asked,
      wanted: StreamRequest(pixelFormat: .mjpeg, size: FrameSize(width: 0, height: 0)))
    change.taken.append(input)
    input.wanted = try await device.resolve(change.configuration.preset, asked.format)
    change.inputs.append(input)
  }

  /// Adjusts a camera that the session has already. Its format is resolved only where another one is asked for, since the camera may be unplugged
  /// just now.
  private func adjust(
    _ device: Device, _ asked: SessionConfiguration.Input, _ change: inout Change
  ) async throws(CaptureError) {
    guard var input = inputs.first(where: { $0.device === device }) else { return }
    let isSame =
      asked.format == input.asked.format
      && (asked.format != nil || change.configuration.preset == configuration.preset)
    let wanted =
      isSame ? input.wanted : try await device.resolve(change.configuration.preset, asked.format)
    input.asked = asked
    if wanted == input.wanted { change.kept.append(device) } else { input.stream = nil }
    input.wanted = wanted
    change.inputs.append(input)
  }

  // MARK: Starting

  /// Starts the streams that do not run yet. New cameras start beside the old ones, so that subscribers miss as little as possible. Old streams stop
  /// first where the bus cannot carry both, or where the same camera changes its format. If a start fails, the streams that were stopped run again.
  func startStreams(of change: inout Change) async throws(CaptureError) {
    let leaving = inputs.filter { $0.stream != nil && !change.keeps($0.device) }
    var (started, stopped, waiting): ([Input], [Input], [Int]) = ([], [], [])
    let preset = change.configuration.preset
    do throws(CaptureError) {
      for index in change.inputs.indices where change.inputs[index].stream == nil {
        let input = change.inputs[index]
        // The session itself restarts a kept camera whose stream is interrupted.
        if isRunning, change.keeps(input.device) { continue }
        if leaving.contains(where: { $0.device === input.device }) {
          waiting.append(index)
          continue
        }
        do throws(CaptureError) {
          try await startStream(of: &change.inputs[index], preset)
          started.append(input)
        } catch  where error.code == .resourceExhausted && !leaving.isEmpty {
          waiting.append(index)
        }
      }
      if !waiting.isEmpty {
        for old in leaving {
          disconnectMembers(of: old)
          await old.device.stopStream(for: old.reservation)
          stopped.append(old)
        }
      }
      for index in waiting {
        let input = change.inputs[index]
        try await startStream(of: &change.inputs[index], preset)
        started.append(input)
      }
    } catch {
      for input in started { await input.device.stopStream(for: input.reservation) }
      // A camera that cannot be restarted may have stopped the session.
      for old in stopped where isRunning { await restart(old, after: error) }
      catchUp()
      throw error
    }
  }

  /// Starts the stream of an input. Chooses the input's format again if the driver refuses one that it had listed: the list may have changed by now.
  func startStream(of input: inout Input, _ preset: SessionPreset) async throws(CaptureError) {
    do throws(CaptureError) {
      input.stream = try await input.device.startStream(input.wanted, for: input.reservation)
    } catch {
      guard error.code == .invalidArgument else { throw error }
      let other: StreamRequest
      do throws(CaptureError) { other = try await input.device.resolve(preset, input.asked.format) } catch {
        throw error.about(device: input.device.id)
      }
      guard other != input.wanted else { throw error }
      input.wanted = other
      input.stream = try await input.device.startStream(other, for: input.reservation)
    }
  }

  /// Restarts a stream that had stopped to make room for one that could not start.
  private func restart(_ old: Input, after error: CaptureError) async {
    guard let index = inputs.firstIndex(where: { $0.device === old.device }) else { return }
    inputs[index].stream = nil
    var old = old
    do throws(CaptureError) {
      try await startStream(of: &old, configuration.preset)
      (inputs[index].wanted, inputs[index].stream) = (old.wanted, old.stream)
      connectMembers(
        of: index, discontinuity: StreamDiscontinuity(.resumed, reason: "a change failed: \(error.message)"))
    } catch {
      await handleFailedStart(of: index, error)
    }
  }

  // MARK: Committing

  private func commit(_ change: Change, starts: Bool) async {
    let (oldInputs, oldConfiguration, wasRunning) = (inputs, configuration, isRunning)
    inputs = change.inputs.map { new in
      guard change.keeps(new.device), let old = oldInputs.first(where: { $0.device === new.device }) else {
        return new
      }
      // Events of this camera may have changed the session's input meanwhile, so the old input is kept.
      var input = old
      input.asked = new.asked
      input.stream = old.stream ?? new.stream
      return input
    }
    for input in inputs { input.reservation.setAsked(change.configuration.preset, input.asked.format) }
    configuration = change.configuration
    isRunning = isRunning || starts
    revision += 1
    moveMembers(from: oldConfiguration, oldInputs)
    let gone = oldInputs.filter { old in !inputs.contains { $0.device === old.device } }
    // Otherwise the torch of a camera that has left would stay on unnoticed.
    for input in gone { await input.device.run { await $0.settings.switchTorchOffIfPossible() } }
    await release(gone)
    notify(.configured)
    if isRunning, !wasRunning { notify(.started) }
    await takeChangedFormats()
    catchUp()
  }

  /// Handles streams that went on in another format before the session listened to them: while its other cameras started.
  private func takeChangedFormats() async {
    for input in inputs {
      guard let known = input.stream else { continue }
      let now = await input.device.currentStream(for: input.reservation)
      if let now, now.hub === known.hub, now.format != known.format { await takeFormat(of: input.device.id) }
    }
  }

  /// Handles what happened to streams before the session listened to them: they have ended, or give no picture. An interruption of a camera's former
  /// stream is over where its present one gives pictures.
  func catchUp() {
    for input in inputs {
      guard let hub = input.stream?.hub else { continue }
      if let end = hub.end {
        handle(.ended, end.message, from: input.device.id)
      } else if let reason = hub.interruption {
        handle(.interrupted, reason, from: input.device.id)
      } else {
        handle(.resumed, "", from: input.device.id)
      }
    }
  }
}
