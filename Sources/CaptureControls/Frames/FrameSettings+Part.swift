import CaptureModel

extension FrameSettings {
  /// A change's part is in the frame.
  mutating func hold(_ part: FrameTimeline.Part, of setting: Setting) {
    hold(setting, part.value, gains: part.gains, isMoving: part.isMoving)
  }
}
