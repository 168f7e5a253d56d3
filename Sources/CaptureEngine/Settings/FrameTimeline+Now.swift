import CaptureControls
import CaptureModel
import CaptureSystem

extension FrameTimeline.Part {
  /// Something that the first frame from now on has: no control does it. `nil`: something that no frame tells.
  static func fromNowOn(_ setting: Setting? = nil, _ value: Double? = nil) -> FrameTimeline.Part {
    let now = MonotonicClock.now()
    return FrameTimeline.Part(
      setting: setting, value: value.map { Observed($0, .reported) },
      moment: ControlMoment(began: now, ended: now), delay: ControlDelay(frames: 0, provenance: .reported))
  }
}
