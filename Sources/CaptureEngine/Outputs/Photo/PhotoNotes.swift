import CaptureModel

/// How the frame of a photo was taken, beside the settings that every frame has.
struct PhotoNotes: Sendable {
  /// The outcome of the flash; `nil`: it was off.
  var flash: FlashOutcome?
  /// How the camera had settled before; `nil`: the photo did not wait for that.
  var settling: PhotoSettling?
}
