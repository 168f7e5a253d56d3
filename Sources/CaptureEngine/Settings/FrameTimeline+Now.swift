import CaptureControls
import CaptureModel
import CaptureSystem

extension FrameTimeline.Part {
  /// A part of a change that no control sets. It holds from the next frame on. `setting`: `nil` if the settings of frames do not include it.
  static func fromNowOn(_ setting: Setting? = nil, _ value: Double? = nil) -> FrameTimeline.Part {
    let now = MonotonicClock.now()
    return FrameTimeline.Part(
      setting: setting, value: value.map { Observed($0, .reported) },
      moment: ControlMoment(began: now, ended: now), delay: ControlDelay(frames: 0, provenance: .reported))
  }
}
