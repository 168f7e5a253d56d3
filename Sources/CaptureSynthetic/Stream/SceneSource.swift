import CaptureImaging
import CaptureModel
import CaptureSystem

/// Pictures of the scene at dusk with its clock.
final class SceneSource: PictureSource {
  private enum Painter {
    case raw(RawRenderer)
    case ring(JPEGRing)
  }

  private let painter: Painter
  private let control: SyntheticCamera.ControlState

  init(_ format: StreamFormat, _ interval: FrameInterval, _ control: SyntheticCamera.ControlState) {
    self.control = control
    let size = format.size
    let paint = { @Sendable in Scene(size: size, caption: "SYNTHETIC \(size) \(interval)".uppercased()) }
    let tone = control.now.tone
    if let layout = RawLayout(format.pixelFormat) {
      painter = .raw(RawRenderer(layout, scene: paint(), tone: tone))
    } else {
      let ring = JPEGRing(size: size, rate: interval.rate, tone: tone, scene: paint)
      // A failure is not reported here: frames that cannot be made are counted as lost.
      _ = try? ring.picture(0, tone: tone)
      painter = .ring(ring)
    }
  }

  var startsWhenReady: Bool { true }

  var buffers: LentBuffers? {
    if case .raw(let renderer) = painter { renderer.buffers } else { nil }
  }

  func picture(_ sequence: UInt64, schedule: FrameSchedule) -> Payload? {
    // As from a sensor, a frame has the settings with which its exposure began.
    let tone = control.tone(at: schedule.begin(sequence))
    switch painter {
    case .raw(let renderer):
      return renderer.render(Moment(sequence: sequence, timestamp: schedule.due(sequence)), tone: tone)
    case .ring(let ring): return try? ring.picture(sequence, tone: tone)
    }
  }
}
