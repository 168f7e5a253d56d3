import CaptureControls
import CaptureModel
import CaptureSystem

/// The result of a change of settings.
public struct SettingsOutcome: Sendable {
  /// The change's number, for ``DeviceSettings/awaitChange(_:)``; 0: there was nothing to set.
  public var change: UInt64
  /// The settings as the driver reports them after the change.
  public var settings: CameraSettings
  /// The values of the controls that were set by name, as read after the change. They are in the order of the assignments, without those that cannot
  /// be read.
  public var readings: [ControlReading] = []
  /// Whether the camera streams. If it does, a coming frame shows the change; otherwise the next stream's first frame does.
  public var isStreaming: Bool
  /// The values that were not set as asked.
  public var clamped: [ClampedValue] = []
}

/// The settings of a device: it knows them, changes them, and notifies those who watch them.
public final class DeviceSettings {
  /// Only this class and its extensions use it.
  let context: DeviceContext
  let controls: CameraControls
  let zoom: Zoom
  let lights: Lights
  let frameDuration: FrameDurationBounds
  let automation = Automation()
  let watchers = SettingsWatchers()
  let clientReadings: ClientReadings
  private(set) lazy var observed = ObservedControls(self, context, controls)
  private(set) var ledger = ChangeLedger()
  /// The part of clients' requests that the camera's controls do not show.
  private(set) var asked = SettingsMap.Asked()
  private var valuesToRestore = ValuesToRestore()
  /// The node's own modes that could not be resumed, since the controls of the camera that had appeared could not be read, and the number of the
  /// latest change when it appeared. They are resumed once the controls can be read.
  private var modesToResume: (kept: SoftwareMemory, latest: UInt64)?
  /// Whether there were watchers when the camera appeared. They are told that it is back.
  private(set) var isReturnAwaited = false
  /// Since when the camera is not there, in `CLOCK_MONOTONIC` nanoseconds; `nil`: it is there, or was never.
  private var awaySince: UInt64?
  /// How long a stream that begins waits until the camera has what clients had set.
  private(set) var restorePatience = Duration.seconds(1)

  init(_ context: DeviceContext, _ frameDuration: FrameDurationBounds) {
    (self.context, self.frameDuration) = (context, frameDuration)
    controls = CameraControls(context)
    clientReadings = ClientReadings(context, controls.reader)
    zoom = Zoom(context, controls)
    lights = Lights(context, controls)
    context.onlookers.add { [automation] use in use.isForAutomation ? automation.software : nil }
    asked.exposureMode = context.saved.memory.exposureMode
    asked.gainsWereSetLast = context.saved.memory.gainsTellLight
  }

  /// Sets ``restorePatience``.
  func waitForRestoration(_ patience: Duration) { restorePatience = patience }

  // MARK: The camera's events

  func cameraAppeared(_ camera: any Camera) {
    isReturnAwaited = !watchers.isEmpty
    modesToResume = nil
    if context.saved.memory.hasSettings || hasToRestore { context.timeline.noteRestoration() }
    zoom.cameraAppeared()
    controls.cameraAppeared(camera)
    observed.cameraAppeared(camera)
    lights.restoreLamp()
  }

  /// The camera was unplugged. Pending changes apply when it returns, except a ramp, which ends.
  func cameraVanished(_ error: CaptureError) {
    awaySince = awaySince ?? MonotonicClock.now()
    controls.forget()
    ledger.cameraVanished()
    observed.cameraVanished()
    endRamp(error)
    context.timeline.forget()
  }

  /// Has the node's own modes resumed once the controls can be read. `latest`: the number of the latest change when the camera appeared.
  func resumeLater(_ kept: SoftwareMemory, keepingChangesAfter latest: UInt64) {
    modesToResume = (kept, latest)
  }

  /// Tells that a stream began or ended.
  func streamChanged() {
    observed.streamChanged()
    measureOffsetForWatches()
  }

  /// Tells that the stream ended. An automatic torch goes out, since nothing measures the light any more.
  func streamEnded() {
    streamChanged()
    if isTorchAutomatic { context.tasks.start { await $0.settings.endAutomaticTorch() } }
  }

  // MARK: Known values

  /// Returns what is known of the camera's controls. The camera is asked once. After that, sets, readings and the driver's events keep the knowledge
  /// up to date.
  func known(of camera: any Camera) async throws(CaptureError) -> KnownControls {
    if let known = controls.known(of: camera) { return known }
    return try await controls.loading.value { () throws(CaptureError) in
      var readings = 0
      while true {
        // If another call's reading has ended meanwhile, its result is used: a change may already build on it.
        if let known = controls.known(of: camera) { return known }
        let before = controls.timesForgotten
        readings += 1
        // The node's own zoom depends on the formats, so they are listed first.
        _ = try? await context.camera.formats()
        let known = try await controls.load(from: camera)
        if context.camera.isPresent(camera), let (kept, latest) = modesToResume.take() {
          context.tasks.start {
            await $0.settings.resumeAutomation(kept, of: camera, keepingChangesAfter: latest)
          }
        }
        if !known.map.has(.zoomFactor) { await zoom.askForCrop(of: camera) }
        if before == controls.timesForgotten {
          learn(known, of: camera)
          return known
        }
        // The controls may be forgotten more often than a slow camera can be read, so the second reading is returned in any case.
        if readings == 2 { return known }
      }
    }
  }

  /// Settings as they were last read or set. It does not ask the camera.
  public func latest() -> CameraSettings? { controls.known.map { reported($0) } }

  /// Returns the settings that the known controls show, and the settings that no control shows.
  func reported(_ known: KnownControls) -> CameraSettings {
    var settings = known.settings(asked: asked)
    report(into: &settings, known)
    return settings
  }

  /// Adds the settings that no control of the driver shows.
  func report(into settings: inout CameraSettings, _ known: KnownControls) {
    lights.reportLamp(into: &settings)
    zoom.report(into: &settings, known)
    settings.frameDuration = frameDuration.bounds
    observed.report(into: &settings)
    automation.report(into: &settings)
    if context.stream.active == nil { settings.exposure?.targetOffset = nil }
    lights.reportFlash(into: &settings)
  }

  /// Remembers what was read from the camera. Watchers hear of differences once their first frame is known. `events`: which controls the camera
  /// announced, and when.
  @discardableResult
  func learn(_ known: KnownControls, of camera: any Camera, events: [ControlID: UInt64] = [:])
    -> CameraSettings
  {
    let settings = reported(known)
    guard context.camera.isPresent(camera) else { return settings }
    controls.learn(known)
    var keys = ledger.noteNews(in: settings)
    for id in events.keys where known.map.setting(of: id) == nil { keys.insert(.control(id)) }
    var reading = FrameTimeline.Reading(
      settings: known.map.frameSettings(settings), latestTime: known.latestTime)
    reading.number = ledger.noteReading(keys)
    reading.events = events.map { id, time in
      .init(settings: known.map.settings(of: id), time: time, delay: controls.delays[id])
    }
    context.timeline.learn(reading, isZoomDigital: zoom.kind(known) == .digital)
    observed.followSearch(of: camera)
    return settings
  }

  /// Notes what clients have asked for (``asked``), after a change, a calibration, a photo or a restoration of values. Saves what tells the light: a
  /// camera may keep its values over a restart of the node.
  func noteAsked(_ asked: SettingsMap.Asked) {
    self.asked = asked
    guard context.saved.memory.gainsTellLight != asked.gainsWereSetLast else { return }
    context.saved.update { $0.gainsTellLight = asked.gainsWereSetLast }
  }

  /// Remembers values that could not be restored. They are from before all steps of a change.
  func restoreLater(_ values: [ControlAssignment]) { valuesToRestore.add(values) }

  /// Remembers values from before the steps of a change that ended half-way, in the order of the steps.
  func restoreLater(beforeSteps values: [ControlAssignment]) { valuesToRestore.add(beforeSteps: values) }

  /// Whether there are values to set again when the camera returns or its stream begins. Read this at that moment: the camera already has what
  /// clients set later.
  var hasToRestore: Bool { !context.saved.memory.controls.isEmpty || !valuesToRestore.isEmpty }

  /// Returns the values that a camera gets again after its return, and forgets them.
  func takeValuesToRestore() -> [ControlAssignment] { valuesToRestore.removeAll() }

  // MARK: Changes

  /// The number of the latest change; 0: there was none. Numbers rise.
  public var lastChange: UInt64 { ledger.lastChange }

  /// Waits for the first frame that has a change. Without a stream, the next stream's first frame has it.
  ///
  /// A ramp's first frame is the one in which the target is reached. The first frame of a new frame duration is the first of the stream that keeps to
  /// it. If no frame can show the change, such as a change of the node's own mode, the result is the first frame whose exposure begins after the
  /// change. Throws `aborted` if a ramp was ended on its way, and `notFound` for an unknown or forgotten change number.
  public func awaitChange(_ change: UInt64) async throws(CaptureError)
    -> FrameTimeline.Applied
  {
    try await context.timeline.applied(change, latest: ledger.lastChange, camera: context.camera.name)
  }

  /// Throws `resourceExhausted` if too many changes wait for their first frame.
  func requireRoomForChange() throws(CaptureError) {
    try context.timeline.requireRoom(on: context.camera.name)
  }

  /// Carries out a transaction as a whole, or reverts it. The caller holds the gate `settings`.
  func apply(_ transaction: inout SettingsTransaction, on camera: any Camera)
    async throws(CaptureError) -> SettingsOutcome
  {
    if transaction.needsRoom { try requireRoomForChange() }
    var unread = transaction.known
    transaction.readBefore = try await controls.read(
      transaction.idsToReadBefore, into: &unread, from: camera,
      requiring: transaction.isBorrowing ? .all : .nothing)
    let (change, timeline) = (ledger.begin(), context.timeline)
    transaction.begin(change)
    timeline.begin(change, transaction.settingsInFlight)
    for setting in transaction.promises { timeline.promise(change, setting) }
    lights.recordState(in: &transaction)
    if transaction.zoom != nil { transaction.before.zoom = zoom.factor }
    do throws(CaptureError) {
      try await perform(&transaction, on: camera)
    } catch {
      timeline.abandon(change)
      // Zoom is set last, so after a failure it was not set and need not be reverted. The photo's light stays on: the photo switches it off itself.
      (transaction.before.zoom, transaction.before.photoLight) = (nil, nil)
      let kept = await revert(transaction, on: camera)
      // A camera that is gone keeps no values.
      let isPresent = context.camera.isPresent(camera)
      throw error.naming(kept, unread: isPresent ? transaction.controlsUnreadBefore : [])
    }
    if !transaction.isTransient {
      save(&transaction)
      valuesToRestore.removeWhatUndoes(transaction)
    }
    noteAsked(transaction.plan.asked)
    let known = transaction.known
    let settings = reported(known)
    if !transaction.plan.software.isEmpty, !transaction.isTransient { saveAutomation(settings, known) }
    let news = transaction.news(since: ledger.lastReported, now: settings)
    let isPresent = context.camera.isPresent(camera)
    ledger.noteChange(change, news, isPresent ? settings : nil)
    if isPresent {
      controls.learn(known)
      observed.followSearch(of: camera)
    }
    let frame = known.map.frameSettings(settings)
    timeline.set(change, transaction.sideEffects(frame, delays: controls.delays))
    let isStreaming = timeline.isStreaming
    timeline.end(change, frame)
    context.stream.settingsChanged(to: change)
    return SettingsOutcome(
      change: change, settings: settings, isStreaming: isStreaming, clamped: transaction.plan.clamped)
  }

  /// Does a transaction's steps. If it throws, the transaction says which steps were done.
  private func perform(_ transaction: inout SettingsTransaction, on camera: any Camera)
    async throws(CaptureError)
  {
    lights.setFlash(transaction.flash)
    transaction.before.automation = try await automation.set(transaction.plan.software)
    // A change of the node's own modes begins with the next frame. A change without effect counts as applied at once.
    if transaction.setsNothingOnTheCamera { addToTimeline([.fromNowOn()], of: transaction) }
    for call in transaction.calls {
      try await relist(&transaction, on: camera)
      let due = transaction.due(call)
      if due.isEmpty { continue }
      try transaction.checkSettable(due)
      transaction.noteBegun(due)
      let moments: [ControlMoment]
      do throws(CaptureError) {
        moments = try await camera.set(due, pacing: context.timeline.pacing)
      } catch {
        transaction.noteFailure(of: due, error)
        throw error
      }
      addToTimeline(transaction.noteDone(due, moments, delays: controls.delays), of: transaction)
    }
    try await relist(&transaction, on: camera)
    transaction.readings = try await controls.read(
      transaction.idsToReadBack, into: &transaction.known, from: camera)
    var parts: [FrameTimeline.Part] = []
    if let lamp = transaction.lamp { parts.append(try await lights.setLampLevel(lamp.level)) }
    if let factor = transaction.zoom { parts.append(try await zoom.set(factor, on: camera)) }
    if !parts.isEmpty { addToTimeline(parts, of: transaction) }
    transaction.ownMoments = parts.map(\.moment)
  }

  /// Reads the descriptions of controls again if a mode was set that changes them.
  private func relist(_ transaction: inout SettingsTransaction, on camera: any Camera)
    async throws(CaptureError)
  {
    guard transaction.isRelistDue else { return }
    transaction.known.relist(try await controls.reader.list(of: camera))
    transaction.isRelistDue = false
  }

  /// Adds these parts of a transaction to the timeline: frames will show them.
  private func addToTimeline(_ parts: [FrameTimeline.Part], of transaction: SettingsTransaction) {
    context.timeline.set(transaction.change, parts)
    guard let ramp = transaction.ramp, !transaction.isTransient,
      let part = parts.first(where: { $0.setting == .zoomFactor })
    else { return }
    context.timeline.fulfil(ramp, .zoomFactor, at: part.moment, delay: part.delay)
  }

  // MARK: Saving changes

  /// Saves the values that a client's change has set. They survive the end of the stream, an unplugging and a restart of the node.
  private func save(_ transaction: inout SettingsTransaction) {
    var keys = transaction.ownKeys
    context.saved.update { memory in
      keys += transaction.saveControls(in: &memory.controls)
      memory.exposureMode = transaction.plan.asked.exposureMode
      memory.zoom = transaction.zoom ?? memory.zoom
      lights.save(transaction, in: &memory)
    }
    if transaction.plan.asked.exposureMode != asked.exposureMode { keys.append(.setting(.exposureMode)) }
    if let durations = transaction.frameDuration { frameDuration.setBounds(durations) }
    ledger.noteSetter(of: keys, by: transaction.ramp ?? transaction.change)
    transaction.keys = keys
  }

  /// Saves the node's own modes as they are now.
  func saveAutomation(_ settings: CameraSettings, _ known: KnownControls) {
    let ownModes = automation.software?.ownModes ?? SettingsChange()
    let software = SoftwareMemory(settings, abilities(known).kept, displaced: ownModes)
    context.saved.update { $0.software = software }
  }

  // MARK: Revoking changes

  /// Reverts a transaction because the stream could not keep to its frame duration. Settings that others have set since then stay. Calls that wait
  /// for the transaction's frame fail with `error`. Returns the controls that the camera has refused to take back.
  func revoke(_ transaction: SettingsTransaction, _ error: CaptureError) async -> [ControlReading] {
    await context.gates.settings.enterToCleanUp()
    defer { context.gates.settings.leave() }
    context.timeline.abandon(transaction.change, error)
    _ = ledger.removeChange(transaction.change)
    if zoom.ramp?.change == transaction.change { replaceRamp(with: nil) }
    var remaining = transaction
    remaining.limit(to: ledger.keys(transaction.keys, lastSetBy: transaction.change))
    forget(remaining)
    // A camera whose driver has fallen silent still has the values that it was given, so they are reverted there too.
    let camera = context.camera.present ?? context.camera.silent
    let kept = await revert(remaining, on: camera)
    if let camera, remaining.before.automation != nil, let known = try? await self.known(of: camera) {
      saveAutomation(reported(known), known)
    }
    automationChanged()
    return kept
  }

  /// Sets the memory of the transaction's keys back to what it was before the transaction.
  private func forget(_ transaction: SettingsTransaction) {
    let former = transaction.memory
    context.saved.update { memory in
      for key in transaction.keys {
        switch key {
        case .control(let id): memory.controls.restore(id, from: former.controls)
        case .setting(.exposureMode):
          asked.exposureMode = transaction.asked.exposureMode
          memory.exposureMode = former.exposureMode
        case .setting(.zoomFactor): memory.zoom = former.zoom
        case .setting(.flashMode): memory.flash = former.flash
        case .setting(.torchLevel): memory.lamp = former.lamp
        case .setting: break
        }
      }
      if context.camera.present == nil, transaction.before.automation != nil {
        memory.software = former.software
      }
    }
    // If the transaction did not set the colour, nothing is done: one of the node's modes may have decided since whether the temperature or the gains
    // describe the light, and the memory has nothing of that.
    if transaction.setsWhatTellsLight {
      // The memory decides only if a client has set the colour since. It does not show that a mode of the driver had the colour for a while: all that
      // is left of that is a mode that is off.
      let sinceThen =
        ledger.isColourSet(after: transaction.change) ? context.saved.memory.controls.gainsWereSetLast : nil
      var present = asked
      present.gainsWereSetLast = sinceThen ?? transaction.asked.gainsWereSetLast
      noteAsked(present)
    }
    if transaction.hasFrameDuration { frameDuration.revertToKept() }
  }

  // MARK: Reporting changes

  /// Tells watchers of changes whose first frame is known now.
  func applied(_ changes: [FrameTimeline.Applied]) {
    for change in changes {
      if let news = ledger.takeNews(of: change) { watchers.notify(news) }
    }
  }

  /// Tells watchers now what a change has set, without naming a frame.
  func notifyNow(_ change: UInt64) {
    watchers.notify(SettingsNews(ledger.removeChange(change)))
  }

  /// Tells watchers that the camera is back, with the changes that they could not hear of meanwhile, and the values of `controls`, which may be
  /// different now. `away`: how long it was gone.
  func notifyReturn(after away: Duration?, and controls: Set<ControlID>) {
    var news = SettingsNews(ledger.takeUnreported().union(controls.map { .control($0) }))
    news.away = away
    watchers.notify(news)
  }

  /// How often the camera came, or came back, and got the settings that the node had kept of it.
  public var restorations: UInt32 { context.timeline.restorations }

  /// Returns how long the camera was gone, once it is back; `nil`: an earlier call has returned it, or the camera was never gone.
  func takeTimeAway() -> Duration? {
    awaySince.take().map { .nanoseconds(MonotonicClock.now() &- $0) }
  }

  /// Tells watchers what a software mode found (`isAdjusting`, the target offset, a mode that ended). `frame`: the frame that shows it; `nil`: no
  /// frame does.
  public func automationChanged(in frame: FrameTimeline.Applied.Position? = nil) {
    // Nothing is told while changes that the camera has announced wait to be read: after that reading, watchers hear of everything, with its frame.
    guard !observed.isReadingDue, ledger.lastReported != nil, let now = latest() else { return }
    watchers.notify(
      SettingsNews(ledger.noteNews(in: now), frame: frame, frame == nil ? .reported : .observed))
  }

  /// Measures how far the exposure is off as long as somebody watches that and frames come.
  func measureOffsetForWatches() {
    automation.measureOffset(context.stream.active != nil && watchers.watchesOffset)
    automationChanged()
  }
}
