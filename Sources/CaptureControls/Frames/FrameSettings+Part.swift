import CaptureModel

extension FrameSettings {
  /// Takes over a part of a change that the frame has.
  mutating func set(_ part: FrameTimeline.Part, of setting: Setting) {
    set(setting, part.value, gains: part.gains, isMoving: part.isMoving)
  }
}
