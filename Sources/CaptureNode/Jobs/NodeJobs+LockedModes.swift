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
      // The last attempt to lock these modes had no answer, or the node's last run ended meanwhile. The camera's present modes may already be the locked ones.
      if modes.isToBeLocked == true { try await lock(modes, id, settings) }
      return
    }
    let present = try await device(of: settings).run { try await $0.settings.read() }
    let modes = JobMemory.Modes(toLockIn: present)
    change(id) { $0.modes = modes }
    do throws(CaptureError) { try await store.flush() } catch {
      change(id) { $0.modes = nil }
      throw error
    }
    // After any other error the camera may be locked, or may yet be: the next tick tries again, and the job's end gives the modes back.
    do { try await lock(modes, id, settings) } catch let error as CaptureError where error.isRefusal {
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

  /// Gives the camera the modes back that the job has locked. While the camera is away or does not answer, the modes stay locked, and the job's last
  /// error says so. The camera gets them once it is there again, also in the node's next run.
  func restoreModes(_ id: String) async {
    if await tryToRestoreModes(id) { restoreModesLater(id) }
  }

  /// Tries again and again to give the modes back, since the camera may come at any time, and a transfer may get lost.
  func retryRestoringModes(_ id: String) async {
    repeat {
      do { try await Task.sleep(for: retryInterval) } catch { return }
    } while await tryToRestoreModes(id)
  }

  /// Returns whether to try again later.
  private func tryToRestoreModes(_ id: String) async -> Bool {
    guard let entry = try? entry(id), let modes = entry.memory.modes else { return false }
    var change = CaptureModel.SettingsChange()
    change.exposure.mode = modes.exposure.flatMap { CaptureModel.ExposureMode(rawValue: $0) }
    change.whiteBalance.mode = modes.whiteBalance.flatMap { CaptureModel.WhiteBalanceMode(rawValue: $0) }
    do {
      try await set(change, on: device(of: entry.settings), under: leases)
      self.change(id) {
        $0.modes = nil
        if $0.lastError.hasPrefix(Self.staysLocked) { $0.lastError = "" }
      }
      return false
    } catch {
      // The node's next run does this.
      if isEnding { return false }
      let failure = RPCError(any: error)
      let isAway = failure.code == .notFound || failure.code == .unavailable
      let text = "\(isAway ? Self.waitsForCamera : Self.staysLocked): \(failure.text)"
      if text != entry.memory.lastError { self.change(id) { $0.lastError = text } }
      return isAway
    }
  }

  /// The beginning of the last error of a job whose camera did not get its modes back.
  static let staysLocked = "exposure and white balance stay locked"
  /// The same for a camera that will get them.
  static let waitsForCamera = "\(staysLocked) until the camera answers"
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

extension CaptureError {
  /// Whether the camera surely is as it was before the call.
  fileprivate var isRefusal: Bool {
    (code == .failedPrecondition || code == .invalidArgument) && unrestored.isEmpty
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
