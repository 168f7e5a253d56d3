import CTurboJPEG
import CaptureModel

extension ChromaSubsampling {
  var turboJPEG: TJSAMP { self == .s422 ? TJSAMP_422 : TJSAMP_420 }

  /// The size of the chroma planes for a picture of that size, rounded up.
  func chroma(width: Int, height: Int) -> (width: Int, height: Int) {
    ((width + 1) / 2, self == .s422 ? height : (height + 1) / 2)
  }
}
