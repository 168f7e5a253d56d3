import Capture3A
import CaptureControls
import CaptureModel
import CaptureSystem

/// Takes brackets: photos that differ in their exposure, or in the position of the lens.
extension Photos {
  /// Takes one photo for each step. `deliver` gets each photo as soon as it is made, and must not wait. If it throws, the bracket ends.
  ///
  /// The camera settles first, as for a photo. Then everything automatic is locked, biases become exposures, and other changes of the camera's
  /// settings wait until the last photo. Everything is reverted afterwards, also when this throws, and when the task is cancelled. Throws as
  /// ``capture(_:of:on:requested:isBounded:progress:)`` does, as `BracketPlan` does before anything is set, and `aborted` if the stream was
  /// interrupted, or if another program on the node's machine changed what a step had set.
  public func captureBracket(
    _ steps: [BracketStep], _ request: PhotoRequest, of input: PhotoInput? = nil, on device: isolated Device,
    progress: @Sendable (PhotoProgress) -> Void,
    deliver: @Sendable (SequencePhoto) throws(CaptureError) -> Void
  ) async throws(CaptureError) {
    try Self.requireBracket(steps, request)
    try underWay.begin()
    defer { underWay.end() }
    try await withEnlargedStream(for: request, of: input, on: device) {
      request, stream throws(CaptureError) in
      try await takeBracket(steps, request, from: stream, progress: progress, deliver: deliver)
    }
  }

  /// Throws `invalidArgument` for a bracket that no camera could take.
  private static func requireBracket(_ steps: [BracketStep], _ request: PhotoRequest) throws(CaptureError) {
    try steps.validate()
    try request.requireNoSwitch(for: "the bracket", "settings.bracket")
    try request.frame.requireNoFlash("the photos of a bracket have no flash; take it without one")
  }

  /// Throws the errors that ``captureBracket(_:_:of:on:progress:deliver:)`` throws before it sets anything. The steps are judged by the camera's
  /// present settings. `interval`: the interval of the stream from which the bracket would be taken.
  func requirePossible(
    _ steps: [BracketStep], _ request: PhotoRequest, at interval: FrameInterval?
  ) async throws(CaptureError) {
    try Self.requireBracket(steps, request)
    let camera = try context.camera.required()
    try await context.gates.settings.enter()
    defer { context.gates.settings.leave() }
    _ = try await plan(steps, at: interval, on: camera)
  }

  private func takeBracket(
    _ steps: [BracketStep], _ request: PhotoRequest, from stream: ActiveStream,
    progress: @Sendable (PhotoProgress) -> Void,
    deliver: @Sendable (SequencePhoto) throws(CaptureError) -> Void
  ) async throws(CaptureError) {
    try await inputs.requireSignal(for: request.frame)
    activity.begin()
    defer { activity.end() }
    try await announce(request, in: stream, progress: progress)
    let settling = try await settle(request.frame, stream)
    try await context.gates.flash.enter()
    defer { context.gates.flash.leave() }
    try await context.gates.settings.enter()
    defer { context.gates.settings.leave() }
    try settings.requireRoomForChange()
    let camera = try context.camera.required()
    var undo = SettingsUndo(asked: settings.asked)
    let result: Result<Void, CaptureError>
    do throws(CaptureError) {
      // The first plan refuses impossible steps before anything is set. The second one is needed because the end of the node's modes may change the
      // exposure.
      _ = try await plan(steps, at: stream.format.interval, on: camera)
      try await settings.endOwnModes(&undo)
      let plan = try await plan(steps, at: stream.format.interval, on: camera)
      let epoch = stream.hub.epoch
      // A step ends the automatic mode of the setting that it sets, so only the modes of the other settings are locked here.
      let others: [DeviceSettings.Moving] =
        plan.movesLens ? [.exposure, .whiteBalance] : [.whiteBalance, .focus]
      try await settings.lock(others, for: "the bracket", &undo)
      progress(.willCapture)
      let name = SequenceMember.newName("bracket")
      for (index, step) in plan.steps.enumerated() {
        try CaptureError.checkCancellation()
        // While the photo before was made, the camera may have gone, and another one come.
        guard context.camera.isPresent(camera) else { throw context.camera.departure }
        let member = SequenceMember(name, SequencePlace(index + 1, of: steps.count))
        try deliver(
          try await takePhoto(
            for: step, as: member, request, settling, from: stream, epoch: epoch, on: camera, &undo,
            progress: progress))
      }
      result = .success(())
    } catch {
      result = .failure(error)
    }
    await settings.revert(undo, on: camera)
    try result.get()
  }

  // MARK: Before the first photo

  /// Derives what the steps set, and refuses what the camera cannot do.
  private func plan(_ steps: [BracketStep], at interval: FrameInterval?, on camera: any Camera)
    async throws(CaptureError) -> BracketPlan
  {
    let known = try await settings.readControls(of: camera)
    settings.learn(known, of: camera)
    let plan = try BracketPlan(
      steps,
      from: .init(
        camera: context.camera.name, settings: settings.reported(known), description: known.description,
        interval: interval ?? .usual))
    for (index, step) in plan.steps.enumerated() {
      var planner = SettingsPlanner(
        camera: context.camera.name, map: known.map, numbers: known.numbers, asked: settings.asked,
        software: SoftwareAbilities(), clamping: false)
      do throws(CaptureError) { _ = try planner.plan(step.change) } catch {
        let field = error.details?.field ?? steps[index].field
        throw error.prefixed("step \(index + 1) of the bracket").naming(
          "\(BracketStep.path(of: index)).\(field)")
      }
    }
    return plan
  }

  // MARK: A photo

  /// Sets what a step asks for, and takes the photo of a frame that has it.
  private func takePhoto(
    for step: BracketPlan.Step, as member: SequenceMember, _ request: PhotoRequest,
    _ settling: PhotoSettling?,
    from stream: ActiveStream, epoch: UInt64, on camera: any Camera, _ undo: inout SettingsUndo,
    progress: @Sendable (PhotoProgress) -> Void
  ) async throws(CaptureError) -> SequencePhoto {
    var (request, member) = (request, member)
    let (outcome, transaction) = try await set(step, &undo)
    var wait = BracketWait(transaction, delays: settings.delays)
    if wait.movesLens { wait.frames += Self.travelFrames(stream.format.interval) }
    var damaged = 0
    var waited = 0
    while true {
      var frame = try await nextFrame(
        with: outcome.change, from: stream, isFirst: damaged == 0, &wait, &waited)
      try requireNoInterruption(before: frame.taken, epoch: epoch)
      try await requireUnchanged(outcome.settings, step.change, of: camera)
      if let bias = step.bias {
        let own = frame.taken.settings?.exposureBias?.value ?? 0
        frame.taken.settings?.exposureBias = Observed(own + bias, .derived)
      }
      let plan = try photoPlan(request, stream)
      member.bracket = BracketOutcome(wait.provenance, waitedFrames: waited, bias: step.bias)
      request.frame.sequence = member
      do throws(CaptureError) {
        let photo = try await photo(
          of: frame, request, PhotoNotes(settling: settling), stream, progress: progress)
        return SequencePhoto(photo: photo, member: member)
      } catch {
        guard error.code == .dataLoss, frame.taken.frame.format.pixelFormat.isJPEG else { throw error }
        (damaged, waited) = (damaged + 1, waited + 1)
        if damaged == Self.mostDamaged { throw allDamaged(error, damaged, plan) }
      }
    }
  }

  private func set(_ step: BracketPlan.Step, _ undo: inout SettingsUndo) async throws(CaptureError)
    -> (outcome: SettingsOutcome, transaction: SettingsTransaction)
  {
    do throws(CaptureError) {
      let set = try await settings.applyChange(step.change, clamping: false, by: .photo)
      undo.add(set.transaction)
      return set
    } catch {
      undo.add(unrestoredBy: error)
      throw error
    }
  }

  /// Waits for a frame that has a step's change. `isFirst`: whether it is the first one for the step; only then this waits for delays and for the
  /// lens.
  private func nextFrame(
    with change: UInt64, from stream: ActiveStream, isFirst: Bool, _ wait: inout BracketWait,
    _ waited: inout Int
  ) async throws(CaptureError) -> PhotoFrame {
    let consumer = PhotoConsumer(change: change, skipping: isFirst ? wait.frames : 0)
    var taken = try await nextFrame(for: consumer, from: stream.hub) {}.taken
    waited += consumer.framesBefore
    if wait.movesLens, isFirst {
      (taken, wait.provenance) = try await waitForLens(taken, from: stream, wait.provenance, &waited)
    }
    return try underWay.keep(taken)
  }

  private func requireNoInterruption(before taken: TakenFrame, epoch: UInt64) throws(CaptureError) {
    guard taken.moment.epoch != epoch else { return }
    throw CaptureError(
      .aborted,
      "the stream of \(context.camera.name) was interrupted during the bracket (\(taken.discontinuity?.reason ?? "frames were lost")); take it again",
      .init(.streamEnded))
  }

  /// Throws `aborted` if the driver no longer has the step's values. Clients wait until the bracket is over, but another program on this machine does
  /// not.
  private func requireUnchanged(
    _ expected: CameraSettings, _ change: SettingsChange, of camera: any Camera
  ) async throws(CaptureError) {
    let known = try await settings.readControls(of: camera)
    let present = settings.reported(known)
    if change.exposure != .init(), expected.exposure?.mode != present.exposure?.mode {
      throw replaced(.exposureMode)
    }
    for setting in [Setting.exposureDuration, .iso, .gain] where change.exposure.numbers[setting] != nil {
      if Self.differ(expected.exposure?.numbers[setting], present.exposure?.numbers[setting]) {
        throw replaced(setting)
      }
    }
    if change.focus.lensPosition != nil,
      Self.differ(expected.focus?.lensPosition, present.focus?.lensPosition)
    {
      throw replaced(.lensPosition)
    }
  }

  private static func differ(_ one: Observed<Double>?, _ other: Observed<Double>?) -> Bool {
    guard let one, let other, one.provenance != .unknown, other.provenance != .unknown else { return false }
    return abs(one.value - other.value) > 1e-6 * abs(one.value)
  }

  private func replaced(_ setting: Setting) -> CaptureError {
    CaptureError(
      .aborted,
      "something else changed \(setting) of \(context.camera.name) during the bracket; take it again",
      .init(.changeReplaced, field: CaptureError.field(of: setting)))
  }

  // MARK: A lens on its way

  /// A webcam's lens arrives within this many seconds.
  private static let travelTime = 0.25
  private static func travelFrames(_ interval: FrameInterval?) -> Int {
    Int((travelTime / (interval ?? .usual).seconds).rounded(.up))
  }

  /// Takes frames until their sharpness is steady, at most ``restFrames``. Returns the last frame, and how it is known that the lens has arrived.
  private func waitForLens(
    _ first: TakenFrame, from stream: ActiveStream, _ delay: Provenance, _ waited: inout Int
  ) async throws(CaptureError) -> (TakenFrame, Provenance) {
    var taken = first
    var readings: [SettlingReading] = []
    for _ in 0..<Self.restFrames {
      switch await measure(taken, in: stream.hub) {
      case .reading(let reading): readings = readings.suffix(Settling.span - 1) + [reading]
      case .unusable: readings = []
      case .unmeterable: return (taken, .assumed)
      }
      if readings.count == Settling.span, readings.areSteady(.init(focus: .pictures)) {
        return (taken, delay == .assumed ? .assumed : .observed)
      }
      taken = try await nextFrame(for: PhotoConsumer(), from: stream.hub) {}.taken
      waited += 1
    }
    return (taken, .assumed)
  }
  private static let restFrames = 40
}

/// How many frames a step waits for, and how it is known that this is enough.
private struct BracketWait {
  /// How many frames are skipped after the first that should have the step's values.
  var frames: Int
  var provenance: Provenance
  /// Whether the lens moves.
  let movesLens: Bool

  /// How many frames longer the true delay may be than an observed one.
  private static let spare = 2

  init(_ transaction: SettingsTransaction, delays: ControlDelays) {
    let set = transaction.done.map { delays[$0.control.id] }
    provenance = set.map(\.provenance).max() ?? .reported
    movesLens = transaction.done.contains {
      transaction.known.map.setting(of: $0.control.id) == .lensPosition
    }
    frames =
      set.map { delay in
        switch delay.provenance {
        case .reported, .calibrated: 0
        case .observed: Self.spare
        default: max(ControlDelays.longestKnown - delay.frames, 0)
        }
      }.max() ?? 0
  }
}

extension BracketPlan {
  fileprivate var movesLens: Bool { steps.first?.change.focus.lensPosition != nil }
}
