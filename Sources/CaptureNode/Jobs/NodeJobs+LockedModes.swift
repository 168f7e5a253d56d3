import CaptureEngine
import CaptureModel
import CaptureWire

import class CaptureEngine.Device

/// The modes that a timelapse keeps locked, so that its photos do not flicker.
extension NodeJobs {
  /// Locks exposure and white balance as the first photo has them. Returns why they could not be locked, for a person; empty: they are locked. A
  /// photo is kept in either case, and the next tick tries again.
  func tryToLockModes(_ id: String, _ settings: CaptureWire.TimelapseSettings) async -> String {
    do { try await lockModes(id, settings) } catch {
      return "exposure and white balance are not locked yet: \(RPCError(any: error).text)"
    }
    return ""
  }

  /// The modes are on the disk before the camera is touched. So a node that ends at any moment gives them back in its next run.
  private func lockModes(_ id: String, _ settings: CaptureWire.TimelapseSettings) async throws {
    if let modes = try entry(id).memory.modes {
      // The node's last run ended while it locked these modes. The camera's present modes may already be the locked ones.
      if modes.isToBeLocked == true { try await lock(modes, id, settings) }
      return
    }
    let present = try await device(of: settings).run { try await $0.settings.read() }
    let modes = JobMemory.Modes(toLockIn: present)
    change(id) { $0.modes = modes }
    do {
      try await store.flush()
      try await lock(modes, id, settings)
    } catch {
      change(id) { $0.modes = nil }
      throw error
    }
  }

  private func lock(
    _ modes: JobMemory.Modes, _ id: String, _ settings: CaptureWire.TimelapseSettings
  ) async throws {
    var change = CaptureModel.SettingsChange()
    if modes.exposure != nil { change.exposure.mode = .locked }
    if modes.whiteBalance != nil { change.whiteBalance.mode = .locked }
    try await set(change, on: device(of: settings), under: leases)
    self.change(id) { $0.modes?.isToBeLocked = nil }
  }

  /// Gives the camera the modes back that the job has locked. If the camera is away, the modes stay locked, and the job's last error says so. If the
  /// node ends meanwhile, its next run does this.
  func restoreModes(_ id: String) async {
    guard let entry = try? entry(id), let modes = entry.memory.modes else { return }
    var change = CaptureModel.SettingsChange()
    change.exposure.mode = modes.exposure.flatMap { CaptureModel.ExposureMode(rawValue: $0) }
    change.whiteBalance.mode = modes.whiteBalance.flatMap { CaptureModel.WhiteBalanceMode(rawValue: $0) }
    do {
      try await set(change, on: device(of: entry.settings), under: leases)
      self.change(id) { $0.modes = nil }
    } catch {
      if isEnding { return }
      let text = RPCError(any: error).text
      self.change(id) { $0.lastError = "\(Self.staysLocked): \(text)" }
    }
  }

  /// The beginning of the last error of a job whose camera did not get its modes back.
  static let staysLocked = "exposure and white balance stay locked"
}

/// Changes a camera's settings while nobody else changes the camera.
private func set(
  _ change: CaptureModel.SettingsChange, on device: Device, under leases: Leases
) async throws {
  guard change != CaptureModel.SettingsChange() else { return }
  _ = try await leases.run(LeaseClaim(cameras: [device.id])) {
    try await device.run { try await $0.settings.set(change) }
  }
}

extension JobMemory.Modes {
  /// The modes to lock in a camera that has these settings: those that are automatic.
  fileprivate init(toLockIn settings: CaptureModel.CameraSettings) {
    self.init(exposure: nil, whiteBalance: nil, isToBeLocked: true)
    if let mode = settings.exposure?.mode, mode == .auto || mode == .continuous { exposure = mode.rawValue }
    if let mode = settings.whiteBalance?.mode, mode == .auto || mode == .continuous {
      whiteBalance = mode.rawValue
    }
  }
}
