import Capture3A
import CaptureModel

/// Sets the values that searches find, and gives the camera back what it had before them.
extension SoftwareThreeA {
  /// How many steps in a row the driver may refuse until the modes end; each of these steps was found anew. Values that are set back have a bound of
  /// their own (``SetBacks/mostTries``), since they stay the same and nobody finds them again.
  private static let mostRefusals = 5

  // MARK: For others that set the camera

  /// The values that were found and are not set yet, and those that the camera gets back from searches.
  struct UnsetValues: Sendable {
    fileprivate var found: SettingsChange
    fileprivate var setBacks: SoftwareLoop.TakenSetBacks

    var change: SettingsChange {
      var change = found
      change.add(setBacks.change)
      return change
    }
  }

  /// Takes the values that were found and are not set yet. The caller holds the gate `settings` and sets them. They include what the camera gets back
  /// from searches, also from one that has borrowed the exposure. A change of the torch stays with the software, which sets it.
  func takeUnsetValues() -> UnsetValues {
    change { state in
      let setBacks = state.loop.takeSetBacks()
      var found = state.takeDue()
      state.due.torch = found.torch.take()
      // The exposure from before a search replaces the last step of that search.
      if setBacks.change.exposure != .init() { found.drop(.exposure) }
      return UnsetValues(found: found, setBacks: setBacks)
    }
  }

  /// Takes back values that ``takeUnsetValues()`` returned and that could not be set. They are due after the next frame; an exposure that a search
  /// had borrowed belongs to the search again. Returns the refusals that have to be reported.
  func putBack(_ values: UnsetValues, _ obstacle: SetBacks.Obstacle) -> [SetBacks.Refusal] {
    change { state in
      let newer = state.due
      state.due = values.found
      state.due.add(newer)
      let refusals = state.loop.putBack(values.setBacks, obstacle)
      if state.loop.setBacks.next != nil { startSetting(&state) }
      return refusals
    }
  }

  /// Waits until the values that were found so far are set.
  func waitUntilSet() async { await state.withLock { $0.settingTask }?.value }

  // MARK: Turns

  /// Begins to set what is due, if that has not begun.
  func startSetting(_ state: inout State) {
    guard !state.isSetting, state.hasWork else { return }
    state.isSetting = true
    state.settingTask = Task { await setDueValues() }
  }

  private func setDueValues() async {
    while let owner, var found = state.withLock({ $0.beginTurn() }) {
      for delay in state.withLock({ $0.takeDelays() }) {
        await owner.run { $0.settings.observeDelay(delay.frames, of: delay.setting) }
      }
      if await !setSteps(on: owner) {
        found = state.withLock { state in found.filter { state.isOwed($0) } }
      }
      let givenUp = await setBack(on: owner)
      found.removeAll(where: givenUp.contains)
      let kept = state.withLock { $0.endTurn(keeping: found) }
      if !kept.isEmpty { await owner.run { await $0.settings.saveFoundValues(of: kept) } }
    }
  }

  /// Sets the steps of searches. Returns whether the driver took them.
  private func setSteps(on owner: Device) async -> Bool {
    guard state.withLock({ !$0.due.isEmpty }) else { return true }
    do throws(CaptureError) {
      let outcome = try await owner.run { device throws(CaptureError) in
        try await device.settings.applyAutomation { self.state.withLock { $0.takeDue() } }
      }
      if let outcome { state.withLock { ($0.failures, $0.lastChange) = (0, outcome.change) } }
      return true
    } catch {
      // Only refusals count, not an absent camera, which gives no frames either, or a cancelled attempt.
      guard error.code != .unavailable, error.code != .cancelled else { return false }
      let failures = state.withLock { state in
        state.failures += 1
        return state.failures
      }
      if failures >= Self.mostRefusals { giveUp(error) }
      return false
    }
  }

  // MARK: Setting back

  /// Sets back what is due, one after the other. A value that the driver refuses waits for frames before it is tried again. Returns the settings that
  /// are given up.
  private func setBack(on owner: Device) async -> [Setting] {
    var givenUp: [Setting] = []
    while let item = state.withLock({ $0.loop.setBacks.next }) {
      do throws(CaptureError) {
        // The change is looked up when its turn comes: a client may have set something newer by then.
        let outcome = try await owner.run { device throws(CaptureError) in
          try await device.settings.setBack { self.state.withLock { $0.loop.setBacks[item.number] } }
        }
        change { state in
          state.loop.noteSetBack(item.number)
          state.lastChange = outcome?.change ?? state.lastChange
        }
      } catch {
        let obstacle = await owner.run { $0.settings.obstacle(error) }
        guard let refusal = change({ $0.loop.setBacks.failed(item.number, obstacle) }) else { continue }
        if refusal.isFinal { givenUp += refusal.change.searchedSettings }
        await owner.run { await $0.settings.tell(refusal, error) }
      }
    }
    return givenUp
  }

  // MARK: The end

  /// Ends every mode, because the camera's frames cannot be measured or the camera refuses values. A search is undone, and an automatic torch is
  /// switched off.
  func giveUp(_ error: CaptureError) {
    let (wasOn, hadTorch, givesBack) = change { state in
      let modes = state.loop.modes
      let before = (modes.isOn, modes.torch, state.loop.displaced.hasModes)
      state.loop.stop(error.message)
      (state.due, state.settled, state.failures) = (SettingsChange(), [], 0)
      startSetting(&state)
      return before
    }
    guard wasOn else { return }
    owner?.enqueue { device in
      let torch = hadTorch ? ", and the torch is no longer automatic" : ""
      let rest =
        givesBack
        ? "the camera's own automatic modes are on again, and the rest of focus, exposure and white balance stays as it is"
        : "focus, exposure and white balance stay as they are"
      device.context.camera.note(.automationEnded, "\(rest)\(torch): \(error.message)")
      device.settings.automationChanged()
      if hadTorch { Task { await device.settings.endAutomaticTorch(isBlind: true) } }
    }
  }
}
