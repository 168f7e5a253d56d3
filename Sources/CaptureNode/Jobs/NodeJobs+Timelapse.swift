import CaptureEngine
import CaptureLibrary
import CaptureModel
import CaptureSystem
import CaptureWire

import class CaptureEngine.Device

extension NodeJobs {
  /// Takes a timelapse's photos, tick by tick, until all are taken, or the job's task is cancelled.
  func timelapse(_ id: String) async {
    guard let settings = try? entry(id).settings, let grid = await grid(of: id) else { return }
    while !Task.isCancelled, let memory = try? entry(id).memory {
      let next = grid.next(after: memory.tick, now: Int64(MonotonicClock.now()))
      if next.missed > 0 {
        change(id) {
          $0.missed += next.missed
          $0.missedLast = next.missed
          $0.tick = ($0.tick.map { $0 + 1 } ?? 0) + next.missed - 1
          $0.lastError = ""
        }
      }
      guard let tick = next.tick else {
        change(id) { $0.state = .done }
        return await restoreModes(id)
      }
      let time = grid.time(of: tick)
      guard await sleep(until: time, id) else { return }
      await takePhoto(of: tick, due: UInt64(clamping: time), id, settings)
    }
  }

  /// Waits for a time of `CLOCK_MONOTONIC`, and looks meanwhile whether the time of day was set. Returns `false` if the task is cancelled before that
  /// time.
  private func sleep(until time: Int64, _ id: String) async -> Bool {
    while !Task.isCancelled {
      followClock(id)
      let left = time - Int64(MonotonicClock.now())
      if left <= 0 { return true }
      try? await Task.sleep(for: .nanoseconds(min(left, Self.longestSleep)), tolerance: .zero)
    }
    return false
  }

  /// A reboot soon after the clock was set finds a start that is at most this much older, in nanoseconds.
  private static let longestSleep: Int64 = 60_000_000_000
  /// Two readings of a clock that was not set differ by less than this, in nanoseconds.
  private static let leastStep: Int64 = 100_000_000

  /// In the boot in which a job was started, its start is known by `CLOCK_MONOTONIC`. So when the time of day is set, its start in UTC is another one,
  /// from which the ticks follow after a reboot.
  private func followClock(_ id: String) {
    guard let memory = try? entry(id).memory, memory.boot == MonotonicClock.bootID else { return }
    let started = Self.clock.reading(at: UInt64(clamping: memory.started)).nanoseconds
    guard (started &- memory.startedUTC).magnitude >= Self.leastStep.magnitude else { return }
    change(id) { $0.startedUTC = started }
  }

  /// The ticks by the clock of this boot. After a reboot they are computed from the time of day. A machine without a battery for its clock starts
  /// with a time in the past, so this waits until the time of day is later than the job's start.
  private func grid(of id: String) async -> TimelapseGrid? {
    while !Task.isCancelled, let entry = try? entry(id) {
      let interval = Int64(entry.settings.intervalMs) * 1_000_000
      let count = entry.settings.count == 0 ? nil : entry.settings.count
      if entry.memory.boot == MonotonicClock.bootID {
        return TimelapseGrid(start: entry.memory.started, interval: interval, count: count)
      }
      let now = MonotonicClock.now()
      let utc = Self.clock.reading(at: now).nanoseconds
      if utc >= entry.memory.startedUTC {
        return TimelapseGrid(
          start: Int64(now) - (utc - entry.memory.startedUTC), interval: interval, count: count)
      }
      try? await Task.sleep(for: .seconds(5))
    }
    return nil
  }

  /// Takes the photo of a tick, and keeps it.
  private func takePhoto(
    of tick: UInt64, due: UInt64, _ id: String, _ settings: CaptureWire.TimelapseSettings
  ) async {
    do {
      let asset = try await photo(tick, due: due, id, settings)
      let failure = settings.lockExposure == .first ? await tryToLockModes(id, settings) : ""
      change(id) {
        $0.done += 1
        $0.tick = tick
        $0.lastAsset = asset
        $0.lastError = failure
      }
    } catch {
      // Nothing is noted of a photo that was cancelled: the job has ended, or it counts the tick as missed at the node's next start.
      if Task.isCancelled { return }
      let text = RPCError(any: error).text
      change(id) {
        $0.failed += 1
        $0.tick = tick
        $0.lastError = text
      }
    }
  }

  private func photo(
    _ tick: UInt64, due: UInt64, _ id: String, _ settings: CaptureWire.TimelapseSettings
  ) async throws -> String {
    let library = try library.opened()
    try await library.requireRoom()
    var wanted = try CapturePhotoRequest(device: settings.device, settings: settings.photo).model()
    wanted.frame.sequence = SequenceMember(
      id, SequencePlace(Int(clamping: tick &+ 1), of: Int(clamping: settings.count)))
    let device = try device(of: settings)
    let request = wanted
    let capture = { () async throws -> Photo in
      try await device.run { device in
        // The photo is not bounded: if clients take many photos, it is delayed, and not refused.
        try await device.photos.capture(request, on: device, requested: due, isBounded: false) { _ in }
      }
    }
    let photo =
      wanted.fullSize?.interrupts == true
      ? try await leases.run(LeaseClaim(cameras: [device.id]), capture) : try await capture()
    var asset = CaptureLibrary.NewAsset(.captured)
    asset.describe(photo.files[0].event(of: photo))
    asset.addedBy = (try? entry(id).memory.owner) ?? ""
    (asset.sequence, asset.shot, asset.labels) = (id, "\(tick)", settings.labels)
    return try await library.add(asset, photo.resources).id.text
  }

  /// The camera of a job. The error names no other camera, since a caller that sees the job may not see the other cameras.
  func device(of settings: CaptureWire.TimelapseSettings) throws(CaptureError) -> Device {
    do throws(CaptureError) { return try engine.device(settings.device) } catch {
      throw CaptureError(
        .notFound, "the camera '\(settings.device)' has not been there since the node's start",
        .init(.unknownName, field: "device", asked: .text(settings.device)))
    }
  }
}
