import CaptureModel

extension FrameSettings {
  /// Takes over a part of a change that the frame has.
  mutating func hold(_ part: FrameTimeline.Part, of setting: Setting) {
    hold(setting, part.value, gains: part.gains, isMoving: part.isMoving)
  }
}
