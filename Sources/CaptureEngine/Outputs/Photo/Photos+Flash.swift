import CaptureControls
import CaptureModel
import CaptureSystem

/// Firing the flash with photos.
extension Photos {
  /// Takes a frame for a photo. It lights the scene if the flash is on, or if the flash is automatic and the scene dark, and puts the light back
  /// afterwards, also when there is no frame.
  ///
  /// `waiting` is called when the stream's next frame may be the one.
  func photoFrame(
    from stream: ActiveStream, requested: UInt64, waiting: () -> Void
  ) async throws(CaptureError) -> TakenFrame {
    let mode = try await flashMode()
    if mode != .on {
      let tap =
        mode == .off
        ? PhotoConsumer(requested: requested)
        : PhotoConsumer(requested: requested) { settings in
          // The scene is judged without the light of another photo.
          settings?.torchLevel.map { $0.value == 0 && $0.provenance != .unknown } ?? true
        }
      let taken = try await frame(for: tap, from: stream.hub, waiting: waiting)
      if mode == .off { return taken }
      if await !isDark(taken) { return taken.with(.notNeeded) }
    }
    try await context.gates.enter(.flash)
    defer { context.gates.leave(.flash) }
    var light = PhotoLight(tap: PhotoConsumer(requested: requested))
    let result: Result<TakenFrame, CaptureError>
    do throws(CaptureError) {
      try await lightUp(&light, requested: requested, interval: stream.format.interval)
      result = .success(
        try await frame(for: light.tap, from: stream.hub) { if mode == .on { waiting() } })
    } catch {
      result = .failure(error)
    }
    // The light is put back even if the call is cancelled: nobody wants it to burn on.
    let used = light
    await context.tasks.uncancelled { await $0.photos.putBack(used) }
    let taken = try result.get()
    guard light.isStrobe || taken.settings?.torchLevel?.value ?? 0 > 0 else {
      throw CaptureError(
        .aborted,
        "the torch of \(context.camera.name) was switched off while it lit the photo; take the photo again",
        .init(.changeReplaced, field: "flash"))
    }
    return taken.with(.fired)
  }

  private func flashMode() async throws(CaptureError) -> LightMode {
    // This also tells the software that judges the scene what the camera can do.
    if settings.lights.flashMode != .off {
      _ = settings.abilities(try await settings.known(of: try context.camera.required()))
    }
    return settings.latest()?.flash?.mode ?? .off
  }

  /// Whether the exposure is automatic, or unknown.
  private var isExposingByItself: Bool {
    settings.latest()?.exposure.map { $0.mode == .continuous || $0.mode == .auto } ?? true
  }

  /// Returns whether the scene is dark. A scene that nobody can judge counts as dark.
  private func isDark(_ taken: TakenFrame) async -> Bool {
    guard let software = settings.automation.software else { return true }
    return await workers.perform(for: context.camera.id) { _ in
      software.isDark(taken.frame, takenWith: taken.settings) ?? true
    }
  }

  // MARK: The light

  /// The light of a photo, and what is put back after it.
  struct PhotoLight: Sendable {
    /// Takes the frame that has the light.
    var tap: PhotoConsumer
    /// Whether the driver's flash lights the photo; otherwise its torch or a lamp does.
    var isStrobe = false
    /// The change that sets the driver's flash mode back.
    var undo = SettingsChange()
    /// The control that ends a strobe which outlasts the photo.
    var stop: ControlID?
    /// The strobe's timeout as it was; `nil`: it was not changed.
    var timeout: ControlAssignment?
  }

  /// Lights the scene. Notes in `light` what it has done, also when it throws.
  private func lightUp(
    _ light: inout PhotoLight, requested: UInt64, interval: FrameInterval?
  ) async throws(CaptureError) {
    try await context.gates.enter(.settings)
    defer { context.gates.leave(.settings) }
    let camera = try context.camera.required()
    let known = try await settings.known(of: camera)
    guard settings.latest()?.flash?.mode ?? .off != .off else {
      throw CaptureError(
        .aborted,
        "the flash of \(context.camera.name) was switched off while the photo waited for it; take the photo again",
        .init(.changeReplaced, field: "flash")
      )
    }
    let seconds = (interval ?? .usual).seconds
    if known.description.flash != nil {
      light.isStrobe = true
      light.tap = PhotoConsumer(
        requested: max(requested, try await strobe(known, on: camera, seconds, &light)))
    } else {
      light.tap = try await lightTorch(known, requested: requested, seconds)
    }
  }

  /// Makes the driver's flash ready and fires it. Returns when it has fired: a frame whose exposure begins after that is lit.
  private func strobe(
    _ known: KnownControls, on camera: any Camera, _ interval: Double, _ light: inout PhotoLight
  ) async throws(CaptureError) -> UInt64 {
    if known.map.settings(known.numbers).flash?.mode != .on {
      light.undo.flash = SettingsChange.Light(mode: .off)
      var ready = SettingsChange()
      ready.flash = SettingsChange.Light(mode: .on)
      _ = try await settings.make(ready, clamping: true, by: .photo)
    }
    // A sensor that fires the flash by itself does so with every frame.
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
        try await settings.setForTrial(
          .trial([ControlAssignment(timeout.id, .integer(needed))]), by: .photo, on: camera)
      }
    }
    light.stop = known[.flashStrobeStop]?.id
    return try await settings.setForTrial(
      .trial([ControlAssignment(strobe.id, .integer(0))]), by: .photo, on: camera
    ).ended
  }

  /// For how many frames a strobe has to last: the one that is being exposed already, the one that is lit, and half of one since clocks are not exact.
  private static let framesToLight = 2.5

  /// Returns whether software fires the flash: the strobe's source is `V4L2_FLASH_STROBE_SOURCE_SOFTWARE` (0), or the driver has no choice.
  private func isFiredBySoftware(_ known: KnownControls, on camera: any Camera) async throws(CaptureError)
    -> Bool
  {
    guard let source = known[.flashStrobeSource], source.isReadable else { return true }
    return try await camera.values(of: [source.id]).first?.number == 0
  }

  /// Lights the torch, as bright as it gets. Returns the consumer that takes the first frame that is lit.
  private func lightTorch(
    _ known: KnownControls, requested: UInt64, _ interval: Double
  ) async throws(CaptureError) -> PhotoConsumer {
    let torch = settings.latest()?.torch
    let hasLevel = settings.lights.lamp(known)?.light.hasLevel ?? (known.description.torch?.hasLevel == true)
    var (on, undo) = (SettingsChange(), SettingsChange())
    on.torch = SettingsChange.Light(mode: .on, level: hasLevel ? 1 : nil)
    let isLit = torch?.isActive == true
    undo.torch = SettingsChange.Light(
      mode: isLit ? .on : .off,
      level: hasLevel && (isLit || settings.lights.lamp(known) == nil) ? torch?.level?.value : nil)
    let change = try await settings.make(on, clamping: true, by: .photo).outcome.change
    settings.lights.litForPhoto(undo)
    // If it is only assumed which frame has the light, some more are skipped to be sure. A camera that exposes by itself needs some to see the light.
    let controls = settings.lights.lamp(known) == nil ? known.map.torchControls : [.lamp]
    let isSure =
      !controls.isEmpty && controls.allSatisfy { settings.controls.delays[$0].provenance == .calibrated }
    let settling = isExposingByItself ? Int(Self.settlingTime / interval) : 0
    return PhotoConsumer(requested: requested, skipping: settling + (isSure ? 0 : Self.framesInDoubt)) {
      settings in
      guard let settings, let level = settings.torchLevel else { return false }
      return settings.change >= change && level.value > 0 && level.provenance != .unknown
    }
  }

  /// By more frames than this no assumed delay is wrong.
  private static let framesInDoubt = 3
  /// For how many seconds an automatic exposure sees the light before the photo.
  private static let settlingTime = 0.25

  /// Puts out what lit a photo, and sets it back as it was.
  func putBack(_ light: PhotoLight) async {
    await context.gates.enterToCleanUp(.settings)
    defer { context.gates.leave(.settings) }
    let undo = light.isStrobe ? light.undo : settings.lights.takePhotoLight() ?? SettingsChange()
    guard let camera = context.camera.present else {
      if undo.torch != nil { settings.lights.putOutLamp() }
      return
    }
    if let stop = light.stop {
      // Drivers refuse this when the strobe is over.
      try? await camera.set([ControlAssignment(stop, .integer(0))])
    }
    await settings.putBack(undo)
    guard let timeout = light.timeout else { return }
    do throws(CaptureError) { try await camera.set([timeout]) } catch {
      settings.lightNotPutBack(error, on: camera)
    }
  }
}

extension DeviceSettings {
  /// Sets back what lit a photo, each part for itself: the light goes out whatever else fails. The caller holds the gate `settings`.
  func putBack(_ light: SettingsChange) async {
    guard let camera = context.camera.present else { return }
    for change in light.levelFirst {
      do throws(CaptureError) {
        _ = try await make(change, clamping: true, by: .photo)
      } catch {
        lightNotPutBack(error, on: camera)
      }
    }
  }

  fileprivate func lightNotPutBack(_ error: CaptureError, on camera: any Camera) {
    guard context.camera.isPresent(camera) else { return }
    context.camera.note(
      .controlNotRestored, "the flash could not be put back as it was: \(error.message)")
  }
}

extension SettingsChange {
  /// The change in two: first the torch's level, which some drivers take only while the torch shines, then its mode.
  fileprivate var levelFirst: [SettingsChange] {
    guard let light = torch, light.level != nil, light.mode == .off else { return isEmpty ? [] : [self] }
    var (level, mode) = (SettingsChange(), self)
    level.torch = Light(level: light.level)
    mode.torch?.level = nil
    return [level, mode]
  }
}

extension TakenFrame {
  fileprivate func with(_ flash: FlashOutcome) -> TakenFrame {
    var taken = self
    taken.flash = flash
    return taken
  }
}
