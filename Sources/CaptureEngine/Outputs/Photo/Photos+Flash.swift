import CaptureControls
import CaptureModel
import CaptureSystem

/// Fires the flash with photos.
extension Photos {
  /// Takes a frame for a photo. Returns it with what the flash did; `nil`: the flash was off. The scene is lit if the flash is on, or if the flash is
  /// automatic and the scene is dark. Afterwards the light is as before, also when there is no frame.
  ///
  /// `flash`: the mode for this photo; `nil`: the camera's. `waiting` is called when the stream's next frame may be the photo's.
  func photoFrame(
    from stream: ActiveStream, requested: UInt64, flash: LightMode?, waiting: () -> Void
  ) async throws(CaptureError) -> (PhotoFrame, FlashOutcome?) {
    let mode = try await flashMode(flash)
    if mode != .on {
      let consumer =
        mode == .off
        ? PhotoConsumer(of: underWay, requested: requested)
        : PhotoConsumer(of: underWay, requested: requested) { settings in
          // The scene is judged without the light of another photo.
          settings?.torchLevel.map { $0.value == 0 && $0.provenance != .unknown } ?? true
        }
      let frame = try await nextFrame(for: consumer, from: stream.hub, waiting: waiting)
      if mode == .off { return (frame, nil) }
      if await !isDark(frame.taken) { return (frame, .notNeeded) }
    }
    try await context.gates.flash.enter()
    defer { context.gates.flash.leave() }
    var strobe: PhotoLight?
    let result: Result<PhotoFrame, CaptureError>
    do throws(CaptureError) {
      let consumer = try await lightUp(
        &strobe, requested: requested, interval: stream.format.interval, isAskedFor: flash != nil)
      // With an automatic flash, `waiting` was called above.
      result = .success(try await nextFrame(for: consumer, from: stream.hub) { if mode == .on { waiting() } })
    } catch {
      result = .failure(error)
    }
    await settings.endPhotoLight(strobe)
    let frame = try result.get()
    guard strobe != nil || frame.taken.settings?.torchLevel?.value ?? 0 > 0 else {
      throw CaptureError(
        .aborted,
        "the torch of \(context.camera.name) was switched off while it lit the photo; take the photo again",
        .init(.changeReplaced, field: "flash"))
    }
    return (frame, .fired)
  }

  /// The mode that a photo will have; `nil`: the camera has no flash, or it is not known whether it has one. Throws `failedPrecondition` for a mode
  /// that the camera cannot do.
  func resolvedFlash(_ asked: LightMode?) async throws(CaptureError) -> LightMode? {
    let mode = try await flashMode(asked)
    return mode == .off && settings.latest()?.flash == nil ? nil : mode
  }

  /// The mode that a photo asks for, or the camera's. Throws `failedPrecondition` for a mode that the camera cannot do.
  private func flashMode(_ asked: LightMode?) async throws(CaptureError) -> LightMode {
    guard settings.flashMode != .off || asked != nil else {
      return settings.latest()?.flash?.mode ?? .off
    }
    let camera = try context.camera.required()
    let known = try await settings.known(of: camera)
    // As a side effect, the software that judges the scene learns what the camera can do.
    _ = settings.abilities(known)
    let present = settings.latest()?.flash?.mode ?? .off
    guard let asked, asked != present else { return present }
    let modes = try await settings.describe().flash?.modes ?? [.off]
    guard modes.contains(asked) else {
      let names = modes.map { "\($0)" }.joined(separator: ", ")
      throw CaptureError(
        .failedPrecondition,
        "\(context.camera.name) cannot take a photo with its flash \(asked); its flash can be: \(names)",
        .init(
          .valueNotPossible, field: "settings.flash", asked: .text("\(asked)"),
          possible: modes.map { "\($0)" }, device: context.camera.id.rawValue))
    }
    if asked == .off, known.map.settings(known.numbers).flash?.mode == .on,
      try await !isFiredBySoftware(known, on: camera)
    {
      throw CaptureError(
        .failedPrecondition,
        "the sensor of \(context.camera.name) fires the flash with every frame; set the camera's flash to off first",
        .init(.notSupported, field: "settings.flash", device: context.camera.id.rawValue))
    }
    return asked
  }

  /// Whether the exposure is automatic, or unknown.
  private var isExposingByItself: Bool {
    settings.latest()?.exposure.map { $0.mode == .continuous || $0.mode == .auto } ?? true
  }

  /// Returns whether the scene is dark. A scene that nobody can judge counts as dark.
  private func isDark(_ taken: TakenFrame) async -> Bool {
    guard let software = settings.software else { return true }
    return await workers(for: taken).perform(for: context.camera.id) { _ in
      software.isDark(taken.frame, takenWith: taken.settings) ?? true
    }
  }

  // MARK: The light

  /// Lights the scene, and returns the consumer that takes the frame with the light. `strobe` becomes `nil` if the torch or a lamp lights the photo.
  /// Otherwise it gets what was done with the driver's flash, even if this throws.
  private func lightUp(
    _ strobe: inout PhotoLight?, requested: UInt64, interval: FrameInterval?, isAskedFor: Bool
  ) async throws(CaptureError) -> PhotoConsumer {
    try await context.gates.settings.enter()
    defer { context.gates.settings.leave() }
    // There must be room for a change before anything is done that has to be set back: to set it back is a change too.
    try settings.requireRoomForChange()
    let camera = try context.camera.required()
    let known = try await settings.known(of: camera)
    guard isAskedFor || settings.latest()?.flash?.mode ?? .off != .off else {
      throw CaptureError(
        .aborted,
        "the flash of \(context.camera.name) was switched off while the photo waited for it; take the photo again",
        .init(.changeReplaced, field: "flash")
      )
    }
    let seconds = (interval ?? .usual).seconds
    guard known.description.flash != nil else {
      return try await lightTorch(known, requested: requested, seconds)
    }
    var light = PhotoLight()
    defer { strobe = light }
    return PhotoConsumer(
      of: underWay, requested: max(requested, try await fire(known, on: camera, seconds, &light)))
  }

  /// Makes the driver's flash ready and fires it. Returns the time at which it had fired, in `CLOCK_MONOTONIC` nanoseconds: a frame whose exposure
  /// begins after that is lit.
  private func fire(
    _ known: KnownControls, on camera: any Camera, _ interval: Double, _ light: inout PhotoLight
  ) async throws(CaptureError) -> UInt64 {
    let present = known.map.settings(known.numbers)
    if present.flash?.mode != .on {
      // One control has both lights: a torch that is on goes out for the flash, and shines again after it.
      if present.torch?.isActive == true {
        light.undo.torch = SettingsChange.Light(mode: .on)
        light.changeBeforeFlash = settings.lastChange
      } else {
        light.undo.flash = SettingsChange.Light(mode: .off)
      }
      var ready = SettingsChange()
      ready.flash = SettingsChange.Light(mode: .on)
      light.add(try await settings.applyChange(ready, clamping: true, by: .photo).transaction)
    }
    // If the sensor fires the flash, it does so with every frame, and nothing has to be fired here.
    guard let strobe = known[.flashStrobe], try await isFiredBySoftware(known, on: camera) else {
      return MonotonicClock.now()
    }
    if let timeout = known[.flashTimeout], timeout.isReadable,
      timeout.flags.isDisjoint(with: [.readOnly, .disabled]),
      let present = try await camera.values(of: [timeout.id]).first?.number
    {
      let needed = min(Int64((Self.framesToLight * interval * 1e6).rounded(.up)), timeout.maximum)
      if present < needed {
        light.timeout = ControlAssignment(timeout.id, .integer(present))
        let longer = ControlAssignment(timeout.id, .integer(needed))
        try await settings.apply(.assigning([longer]), by: .photo, on: camera)
      }
    }
    light.stop = known[.flashStrobeStop]?.id
    let firing = ControlAssignment(strobe.id, .integer(0))
    return try await settings.apply(.assigning([firing]), by: .photo, on: camera).ended
  }

  /// How many frames a strobe has to last: the frame that is being exposed already, the frame that is lit, and half a frame since clocks are not
  /// exact.
  private static let framesToLight = 2.5

  /// Returns whether software fires the flash: the strobe's source is `V4L2_FLASH_STROBE_SOURCE_SOFTWARE` (0), or the driver has no choice.
  private func isFiredBySoftware(_ known: KnownControls, on camera: any Camera) async throws(CaptureError)
    -> Bool
  {
    guard let source = known[.flashStrobeSource], source.isReadable else { return true }
    return try await camera.values(of: [source.id]).first?.number == 0
  }

  /// Switches the torch on, as bright as it gets. Returns the consumer that takes the first frame that is lit.
  private func lightTorch(
    _ known: KnownControls, requested: UInt64, _ interval: Double
  ) async throws(CaptureError) -> PhotoConsumer {
    let torch = settings.latest()?.torch
    let lamp = settings.torchLamp(beside: known)
    let hasLevel = lamp?.light.hasLevel ?? (known.description.torch?.hasLevel == true)
    var (on, light) = (SettingsChange(), PhotoLight())
    on.torch = SettingsChange.Light(mode: .on, level: hasLevel ? 1 : nil)
    let isLit = torch?.isActive == true
    light.undo.torch = SettingsChange.Light(
      mode: isLit ? .on : .off,
      level: hasLevel && (isLit || lamp == nil) ? torch?.level?.value : nil)
    let applied: (outcome: SettingsOutcome, transaction: SettingsTransaction)
    do throws(CaptureError) {
      applied = try await settings.applyChange(on, clamping: true, by: .photo)
    } catch {
      // What the camera did not take back is tried again with the end of the light.
      if !error.unrestored.isEmpty { settings.litForPhoto(light) }
      throw error
    }
    light.add(applied.transaction)
    settings.litForPhoto(light)
    let change = applied.outcome.change
    // If it is only assumed which frame has the light, some more frames are skipped. A camera that exposes by itself needs further frames to adapt to
    // the light.
    let controls = lamp == nil ? known.map.torchControls : [.lamp]
    let isSure = settings.areDelaysCalibrated(of: controls)
    let settling = isExposingByItself ? Int(Self.settlingTime / interval) : 0
    let skipping = settling + (isSure ? 0 : Self.framesInDoubt)
    return PhotoConsumer(of: underWay, requested: requested, skipping: skipping) { settings in
      guard let settings, let level = settings.torchLevel else { return false }
      return settings.change >= change && level.value > 0 && level.provenance != .unknown
    }
  }

  /// How many frames are skipped where a delay is only assumed: no assumed delay is wrong by more.
  private static let framesInDoubt = 3
  /// For how many seconds an automatic exposure has to see the light before the photo.
  private static let settlingTime = 0.25
}
