import Capture3A

/// Measures frames for all photos that wait until the camera has settled, one frame of a stream at a time. Photos that take the same frame share the
/// result. A frame that comes while another one is being measured is not measured. So however many photos wait, they keep one buffer of the driver,
/// and take one turn at the workers.
final class PhotoMeter {
  typealias Reading = Settling.Observation.Picture

  private struct Measurement {
    let hub: StreamHub
    let ordinal: UInt64
    let reading: Task<Reading, Never>
  }
  private var present: Measurement?

  /// Returns what `work` finds in a frame; `unusable` if an earlier frame of that stream is being measured.
  func measure(
    _ taken: TakenFrame, in hub: StreamHub, by work: @escaping @Sendable () async -> Reading
  ) async -> Reading {
    if let present, present.hub === hub {
      return present.ordinal == taken.moment.ordinal ? await present.reading.value : .unusable
    }
    let reading = Task { await work() }
    present = Measurement(hub: hub, ordinal: taken.moment.ordinal, reading: reading)
    let result = await reading.value
    if present?.reading == reading { present = nil }
    return result
  }
}
