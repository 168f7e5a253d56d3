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
    let scene = Scene(size: format.size, caption: "SYNTHETIC \(format.size) \(interval)".uppercased())
    let tone = control.now.tone
    painter =
      if let layout = RawLayout(format.pixelFormat) {
        .raw(RawRenderer(layout, scene: scene, tone: tone))
      } else {
        .ring(JPEGRing(scene: scene, tone: tone))
      }
  }

  var buffers: LentBuffers? {
    if case .raw(let renderer) = painter { renderer.buffers } else { nil }
  }

  func picture(_ sequence: UInt64, schedule: FrameSchedule, isLate: Bool) -> Payload? {
    // As a sensor does, a frame keeps the settings that its exposure began with.
    let tone = control.tone(at: schedule.begin(sequence))
    switch painter {
    case .raw(let renderer):
      return renderer.render(Moment(sequence: sequence, timestamp: schedule.due(sequence)), tone: tone)
    case .ring(let ring): return try? ring.picture(sequence, tone: tone, isLate: isLate)
    }
  }
}
