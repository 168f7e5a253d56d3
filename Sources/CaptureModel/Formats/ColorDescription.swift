/// What a picture's samples mean: the colour fields of `v4l2_pix_format`, with V4L2's defaults filled in.
public struct ColorDescription: Hashable, Sendable {
  /// The primaries and the white point.
  public var space: ColorSpace
  public var transfer: TransferFunction
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
public enum ColorSpace: Hashable, Sendable {
  /// The driver does not say, or has a value that is not known here.
  case unknown
  case srgb
  case smpte170M
  case smpte240M
  case rec709
  case bt470M
  case bt470BG
  case opRGB
  case rec2020
  case dciP3
  /// The sensor's own colours.
  case raw
}

/// How samples relate to light (`V4L2_XFER_FUNC_*`).
public enum TransferFunction: Hashable, Sendable {
  /// A value that is not known here.
  case unknown
  case rec709
  case srgb
  case opRGB
  case smpte240M
  /// Samples are proportional to light.
  case linear
  case dciP3
  /// Perceptual quantizer.
  case smpte2084
}

/// Coefficients between RGB and Y'CbCr (`V4L2_YCBCR_ENC_*`).
public enum ColorMatrix: Hashable, Sendable {
  case rec601
  case rec709
  case rec2020
  /// BT.2020's constant-luminance variant, in which luma is made of linear light. It is not a matrix.
  case rec2020ConstantLuminance
  case smpte240M
  /// No conversion: the samples are red, green and blue, or hue, saturation and value.
  case identity
}
