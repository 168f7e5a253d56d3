/// What a picture's samples mean: the colour fields of `v4l2_pix_format`, with V4L2's defaults filled in.
public struct ColorDescription: Hashable, Sendable {
  /// The primaries and the white point.
  public var space: ColorSpace
  /// How samples relate to light.
  public var transfer: TransferFunction
  /// How luma and chroma are made of red, green and blue.
  public var matrix: ColorMatrix
  /// `V4L2_QUANTIZATION_FULL_RANGE`: black is 0 and white is 255. Otherwise they are 16 and 235, and chroma goes from 16 to 240.
  public var isFullRange: Bool

  /// The defaults describe what a webcam sends.
  public init(
    space: ColorSpace = .srgb, transfer: TransferFunction = .srgb, matrix: ColorMatrix = .rec601,
    isFullRange: Bool = false
  ) {
    self.space = space
    self.transfer = transfer
    self.matrix = matrix
    self.isFullRange = isFullRange
  }

  /// The colours of a JPEG made of such a picture. JFIF has one matrix and one range; it cannot name primaries, which stay as they are.
  public var inJPEG: ColorDescription {
    ColorDescription(space: space, transfer: transfer, matrix: .rec601, isFullRange: true)
  }
}

/// Which red, green, blue and white are meant (`V4L2_COLORSPACE_*`).
public enum ColorSpace: String, Hashable, Sendable {
  /// The driver does not say, or has a value that is not known here.
  case unknown
  /// sRGB's primaries, which are those of BT.709.
  case srgb
  /// NTSC and PAL as they are today.
  case smpte170M = "smpte170m"
  /// Early high definition.
  case smpte240M = "smpte240m"
  /// High definition.
  case rec709
  /// NTSC of 1953.
  case bt470M = "bt470m"
  /// PAL and SECAM of old.
  case bt470BG = "bt470bg"
  /// Adobe RGB.
  case opRGB = "oprgb"
  /// Ultra high definition.
  case rec2020
  /// Cinemas' projectors.
  case dciP3 = "dci-p3"
  /// The sensor's own colours.
  case raw
}

/// How samples relate to light (`V4L2_XFER_FUNC_*`).
public enum TransferFunction: String, Hashable, Sendable {
  /// A value that is not known here.
  case unknown
  /// That of BT.709, BT.601 and BT.2020.
  case rec709
  /// That of sRGB.
  case srgb
  /// That of Adobe RGB: a power of 2.2.
  case opRGB = "oprgb"
  /// That of SMPTE 240M.
  case smpte240M = "smpte240m"
  /// Samples are proportional to light.
  case linear
  /// That of DCI-P3: a power of 2.6.
  case dciP3 = "dci-p3"
  /// Perceptual quantizer.
  case smpte2084
}

/// Coefficients between RGB and Y'CbCr (`V4L2_YCBCR_ENC_*`).
public enum ColorMatrix: String, Hashable, Sendable {
  /// BT.601, also that of JPEG.
  case rec601
  /// BT.709.
  case rec709
  /// BT.2020.
  case rec2020
  /// BT.2020's constant-luminance variant, in which luma is made of linear light. It is not a matrix.
  case rec2020ConstantLuminance = "rec2020-constant-luminance"
  /// SMPTE 240M.
  case smpte240M = "smpte240m"
  /// No conversion: the samples are red, green and blue, or hue, saturation and value.
  case identity
}
