/// What a picture's samples mean: what `v4l2_pix_format` tells of colour, with V4L2's defaults filled in.
public struct ColorDescription: Hashable, Sendable {
  /// Primaries and white.
  public var space: ColorSpace
  public var transfer: TransferFunction
  public var matrix: ColorMatrix
  /// `V4L2_QUANTIZATION_FULL_RANGE`: black is 0 and white 255; else 16 and 235, chroma 16…240.
  public var isFullRange: Bool

  /// Without anything said: what a webcam sends.
  public init(
    space: ColorSpace = .srgb, transfer: TransferFunction = .srgb, matrix: ColorMatrix = .rec601,
    isFullRange: Bool = false
  ) {
    self.space = space
    self.transfer = transfer
    self.matrix = matrix
    self.isFullRange = isFullRange
  }

  /// Of a JPEG with these colours: JFIF has one matrix and one range; it cannot tell primaries, which stay as they are.
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
  /// The sensor's own.
  case raw
}

/// How samples go with light (`V4L2_XFER_FUNC_*`).
public enum TransferFunction: Hashable, Sendable {
  /// A value that is not known here.
  case unknown
  case rec709
  case srgb
  case opRGB
  case smpte240M
  /// In proportion.
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
  /// BT.2020's other kind, in which luma is that of light: no matrix in truth.
  case rec2020ConstantLuminance
  case smpte240M
  /// None: the samples are red, green and blue, or hue, saturation and value.
  case identity
}
