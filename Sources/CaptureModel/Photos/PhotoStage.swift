/// What happens while a photo is taken (`AVCapturePhotoCaptureDelegate`).
public enum PhotoStage: Sendable {
  /// How the photo and its files will be made (`willBeginCaptureFor`). It comes again if the camera's source changes meanwhile. An older node does
  /// not report it.
  case willBegin(ResolvedPhoto)
  /// The photo will be the next frame whose exposure begins after this (`willCapturePhotoFor`).
  case willCapture
  /// The frame is there (`didCapturePhotoFor`).
  case didCapture(FrameInfo)
  /// A small JPEG of it, if the settings ask for one.
  case preview(CapturedPhoto)
  /// A file of the photo (`didFinishProcessingPhoto`).
  case photo(CapturedPhoto)
}
