import CaptureModel

/// The kind of a pixel format's samples, on which V4L2's colour defaults depend.
enum PixelFamily {
  case ycbcr
  /// Only luma, or depth.
  case grey
  /// Red, green and blue, or hue, saturation and value.
  case rgb
  /// Samples behind a colour filter.
  case bayer

  /// An unknown format counts as Y'CbCr, as in the kernel.
  init(_ format: PixelFormat) {
    self = Self.known[format] ?? .ycbcr
  }

  var hasLuma: Bool { self == .ycbcr || self == .grey }

  private static let known: [PixelFormat: PixelFamily] = {
    let families: [(PixelFamily, String)] = [
      (
        .rgb,
        """
        RGB1 R444 AR12 XR12 RA12 RX12 AB12 XB12 GA12 BX12 RGBO AR15 XR15 RA15 RX15 AB15 XB15 BA15 BX15 RGBP RGBQ RGBR \
        AR15-BE XR15-BE BGRH BGR3 RGB3 BGR4 AR24 XR24 RA24 RX24 RGB4 AB24 XB24 BA24 BX24 RX30 RA30 AR30 XR30 B312 B412 \
        HSV3 HSV4
        """
      ),
      (.grey, "GREY Y04 Y06 Y10 Y012 Y12 Y14 Y16 Y16-BE Y10B Y10P Y12P Y14P ip3y Y8I Y12I Z16 INZI"),
      (
        .bayer,
        """
        BA81 GBRG GRBG RGGB BG10 GB10 BA10 RG10 BG12 GB12 BA12 RG12 BG14 GB14 GR14 RG14 BYR2 GB16 GR16 RG16 \
        pBAA pGAA pgAA pRAA aBA8 aGA8 agA8 aRA8 bBA8 bGA8 BD10 bRA8 pBCC pGCC pgCC pRCC pBEE pGEE pgEE pREE \
        ip3b ip3g ip3G ip3r
        """
      ),
    ]
    return Dictionary(
      uniqueKeysWithValues: families.flatMap { family, codes in
        codes.split(separator: " ").map { (PixelFormat(String($0))!, family) }
      })
  }()
}
