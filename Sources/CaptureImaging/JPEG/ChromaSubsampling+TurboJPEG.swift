import CTurboJPEG
import CaptureModel

extension ChromaSubsampling {
  var turboJPEG: TJSAMP { self == .s422 ? TJSAMP_422 : TJSAMP_420 }

  /// The size of the chroma planes for a picture of that size, rounded up.
  func chroma(width: Int, height: Int) -> (width: Int, height: Int) {
    ((width + 1) / 2, self == .s422 ? height : (height + 1) / 2)
  }
}

extension TJSAMP {
  /// The value as libjpeg-turbo's functions take and give it. Raw values of the enumeration are unsigned before version 3. From version 3 on they are
  /// signed, since one is negative.
  var number: Int32 { Int32(truncatingIfNeeded: rawValue) }

  init(number: Int32) { self.init(rawValue: RawValue(truncatingIfNeeded: number)) }
}
