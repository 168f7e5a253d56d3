import CaptureControls
import CaptureModel
import CaptureSystem

/// A lamp that serves as the camera's torch, where its driver has none; and the light for photos: the driver's flash, or else the torch, lit for the
/// photo. The node decides for which photos the light fires.
final class Lights {
  private let context: DeviceContext
  private let controls: CameraControls
  private var lamp: Lamp?
  /// The level that the lamp is known to have, and the number of the order after which it had it; `nil`: it was neither read nor set yet.
  private var lampHas: (number: Int, level: Double)?
  /// The level that the lamp was given last, and the number of that order; `nil`: it was given none.
  private var lampOrder: (number: Int, level: Double?) = (0, nil)
  /// Whether a change of the lamp is on its way.
  private var isLampChanging = false
  /// The photos for which the flash fires.
  private(set) var flashMode: LightMode
  /// The torch while it is lit for a photo, unless a client has switched it since.
  private var photoLight: PhotoLight?

  init(_ context: DeviceContext, _ controls: CameraControls) {
    (self.context, self.controls) = (context, controls)
    flashMode = context.saved.memory.flash ?? .off
  }

  // MARK: The lamp

  func installLamp(_ light: (any LightSource)?) {
    lamp = light.map { Lamp(light: QueuedLight($0)) }
    lampHas = nil
    let number = order(nil)
    if let light = lamp?.light {
      light.read { [tasks = context.tasks] level in
        tasks.enqueue { $0.settings.lampAnswered(number, of: light, with: level) }
      }
    }
    restoreLamp()
  }

  /// Notes that the lamp is given this level. Returns the number of the order.
  private func order(_ level: Double?) -> Int {
    lampOrder = (lampOrder.number + 1, level)
    return lampOrder.number
  }

  /// Notes the end of order `number`: the lamp has `level`, which was read or set; `nil`: the level could not be set. If there is a later order, that
  /// order decides which level the lamp is to have. If the answer to that order came first, that order also decides which level the lamp has.
  func ended(_ number: Int, of light: QueuedLight, with level: Double?) {
    guard let lamp, lamp.light === light else { return }
    if let level, number >= lampHas?.number ?? 0 { lampHas = (number, level) }
    guard number == lampOrder.number else { return }
    lampOrder.level = lampHas?.level
    self.lamp?.level = lampHas?.level ?? 0
  }

  /// Whether there is a lamp, even if the driver has a torch of its own.
  var hasLamp: Bool { lamp != nil }
  /// The level of the lamp; `nil`: there is none.
  var lampLevel: Double? { lamp?.level }

  /// The lamp that is the camera's torch; `nil`: its driver has a torch, or there is no lamp.
  func torchLamp(beside known: KnownControls) -> Lamp? {
    known.description.torch == nil ? lamp : nil
  }

  /// The lamp with the given level, if it has another level now.
  func lamp(at level: Double?) -> Lamp? {
    guard var lamp, lamp.level != level else { return nil }
    lamp.level = level ?? 0
    return lamp
  }

  @discardableResult
  func setLampLevel(_ level: Double) async throws(CaptureError) -> FrameTimeline.Part {
    FrameTimeline.Part(
      setting: .torchLevel, value: Observed(level, .assumed), moment: try await giveLamp(level),
      delay: controls.delays[.lamp])
  }

  /// The caller holds the gate `settings`.
  private func giveLamp(_ level: Double) async throws(CaptureError) -> ControlMoment {
    guard let light = lamp?.light else {
      let now = MonotonicClock.now()
      return ControlMoment(began: now, ended: now)
    }
    let number = order(level)
    isLampChanging = true
    defer { isLampChanging = false }
    do throws(CaptureError) {
      let moment = try await light.set(level)
      ended(number, of: light, with: level)
      return moment
    } catch {
      ended(number, of: light, with: nil)
      throw error
    }
  }

  /// Switches the lamp off: otherwise it would stay lit when the camera goes.
  func switchOffLamp() async {
    guard let lamp, lamp.level > 0 else { return }
    do throws(CaptureError) {
      try await setLampLevel(0)
    } catch {
      context.camera.note(.controlNotRestored, "the torch could not be switched off: \(error.message)")
    }
  }

  /// Gives the lamp the state in which clients left it. It does not wait for the lamp: what clients set from now on reaches the lamp later.
  func restoreLamp() {
    guard let kept = context.saved.memory.lamp, context.camera.present != nil, let lamp else { return }
    guard !isLampChanging else {
      // The change that is on its way decides what is kept, so the lamp is restored after it.
      context.tasks.start { await $0.settings.restoreLampInTurn() }
      return
    }
    // The kept levels may be of another lamp, so they are rounded to this lamp's levels.
    self.lamp?.brightness = lamp.nearest(to: kept.brightness)
    let level = lamp.nearest(to: kept.level)
    guard lampOrder.level != level else { return }
    self.lamp?.level = level
    let (number, light) = (order(level), lamp.light)
    light.set(level) { [tasks = context.tasks] error in
      tasks.enqueue {
        $0.settings.lampAnswered(number, of: light, with: error == nil ? level : nil)
        guard let error else { return }
        $0.context.camera.note(.controlNotRestored, "the torch could not be set again: \(error.message)")
      }
    }
  }

  func reportLamp(into settings: inout CameraSettings) {
    if settings.torch == nil { settings.torch = lamp?.settings }
  }

  // MARK: What a transaction does

  /// Notes in the transaction the state of the lights before it, as far as the transaction changes them.
  func recordState(in transaction: inout SettingsTransaction) {
    if transaction.lamp != nil { transaction.before.lamp = lamp }
    if transaction.flash != nil { transaction.before.flash = flashMode }
    if transaction.setsTorch { transaction.before.photoLight = photoLight }
  }

  func setFlash(_ mode: LightMode?) { flashMode = mode ?? flashMode }

  /// Saves the state of the lights after a client's change.
  func save(_ transaction: SettingsTransaction, in memory: inout CameraMemory) {
    if transaction.setsTorch { photoLight = nil }
    if let flash = transaction.flash { memory.flash = flash == .off ? nil : flash }
    guard let change = transaction.lamp else { return }
    if let brightness = change.brightness { lamp?.brightness = brightness }
    memory.lamp = LampMemory(
      level: change.isAutomatic ?? true ? 0 : change.level, brightness: lamp?.brightness ?? 1)
  }

  /// Reverts the lights to their state before the transaction.
  func revert(_ before: SettingsTransaction.Before) async {
    setFlash(before.flash)
    guard let former = before.lamp else { return }
    lamp?.brightness = former.brightness
    guard lamp?.level != former.level else { return }
    do throws(CaptureError) {
      try await setLampLevel(former.level)
    } catch {
      context.camera.note(.controlNotRestored, "the torch could not be set back: \(error.message)")
    }
  }

  // MARK: A photo's light

  /// Tells that the torch was lit for a photo.
  func litForPhoto(_ light: PhotoLight) { photoLight = light }

  /// Takes the torch that is lit for a photo; `nil`: somebody has switched it since.
  func takePhotoLight() -> PhotoLight? { photoLight.take() }
}

// MARK: Plans

extension Lights {
  /// Takes the torch out of a change if a lamp serves as the torch. Returns the change of the lamp; `nil`: there is none.
  func planLamp(
    _ change: inout SettingsChange, _ known: KnownControls, _ torch: (modes: [LightMode], now: LightMode?),
    _ clamping: inout Clamping
  ) throws(CaptureError) -> Lamp.Change? {
    guard let lamp = torchLamp(beside: known), let light = change.torch.take() else { return nil }
    return try lamp.plan(
      light, canBeAutomatic: !torch.modes.isEmpty, isAutomatic: torch.now == .auto, &clamping, known.map,
      camera: context.camera.name)
  }

  /// The change of the lamp that a profile asks for; `nil`: there is no lamp, or the profile has no level. The profile may have been saved with
  /// another lamp.
  func planLamp(_ profile: CameraProfile, _ clamping: inout Clamping) -> Lamp.Change? {
    guard let lamp, let level = profile.torchLevel else { return nil }
    return Lamp.Change(level: lamp.rounded(level, &clamping), isAutomatic: false)
  }

  /// Takes from a change the node's part of the flash. Returns the new flash mode; `nil`: the mode stays. Torch and flash exclude each other: the one
  /// that is switched on last ends the other.
  func planFlash(_ change: inout SettingsChange, _ known: KnownControls, torchMode: LightMode)
    throws(CaptureError) -> LightMode?
  {
    let driver = known.description
    let hasLamp = torchLamp(beside: known) != nil
    // A level without a mode switches the lamp on, unless the torch follows the light.
    if hasLamp, change.torch?.mode == nil, (change.torch?.level ?? 0) > 0, torchMode != .auto {
      change.torch?.mode = .on
    }
    try change.checkLights()
    let hasFlash = driver.flash != nil
    guard hasFlash || driver.torch != nil || hasLamp else { return nil }
    if let torch = change.torch?.mode, torch != .off, change.flash?.mode == nil, hasFlash || flashMode != .off
    {
      change.flash = SettingsChange.Light(mode: .off, level: change.flash?.level)
    }
    guard let mode = change.flash?.mode else { return nil }
    if mode != .off, change.torch?.mode == nil, photoLight == nil, torchMode != .off {
      change.torch = SettingsChange.Light(mode: .off, level: change.torch?.level)
    }
    if hasFlash {
      // The driver's flash stays off until a photo needs it.
      change.flash?.mode = .off
    } else {
      if change.flash?.level != nil {
        throw CaptureError(
          .invalidArgument,
          "\(Setting.flashLevel) cannot be set on \(context.camera.name): its torch is the flash, as bright as it gets",
          .init(.notSupported, field: CaptureError.field(of: .flashLevel))
        )
      }
      change.flash = nil
    }
    return mode
  }

  /// Adds the flash mode, which the node keeps.
  func reportFlash(into settings: inout CameraSettings) {
    let hasDriver = settings.flash != nil
    if !hasDriver, settings.torch != nil { settings.flash = CameraSettings.Light(mode: .off) }
    guard flashMode != .off else { return }
    settings.flash?.mode = flashMode
    settings.flash?.isSoftware = !hasDriver || flashMode == .auto
  }
}

extension SettingsDescription {
  /// The abilities and the kind of the camera's flash; `nil`: it has no light.
  var photoFlash: Light? {
    if var flash {
      flash.modes = [.off, .on, .auto]
      flash.softwareModes = [.auto]
      return flash
    }
    guard let torch, torch.modes.contains(.on) else { return nil }
    var flash = Light(
      modes: [.off, .on, .auto], hasLevel: false, source: "the torch (\(torch.source)), lit for the photo")
    flash.softwareModes = [.on, .auto]
    return flash
  }
}
