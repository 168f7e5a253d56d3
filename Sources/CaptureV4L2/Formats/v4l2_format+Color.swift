import CCaptureShims
import CVideo4Linux
import CaptureModel

extension v4l2_format {
  /// The meaning of the samples. Fields that the driver leaves open follow from the others, by the kernel's `V4L2_MAP_*_DEFAULT`.
  var color: ColorDescription {
    let family = PixelFamily(pixelFormat)
    let transfer =
      transferFunction == V4L2_XFER_FUNC_DEFAULT.rawValue
      ? capture_default_transfer_function(colorspace) : transferFunction
    return ColorDescription(
      space: ColorSpace(colorspace), transfer: TransferFunction(transfer),
      matrix: family.hasLuma ? ColorMatrix(encoding) : .identity, isFullRange: isFullRange(family))
  }

  /// Whether the samples use the full range. There are two rules more than in the kernel's macro: xvYCC always needs the room of the limited range,
  /// and luma without chroma comes from sensors that use the full range.
  private func isFullRange(_ family: PixelFamily) -> Bool {
    if family.hasLuma, encoding == V4L2_YCBCR_ENC_XV601.rawValue || encoding == V4L2_YCBCR_ENC_XV709.rawValue
    {
      return false
    }
    let reported =
      quantization == V4L2_QUANTIZATION_DEFAULT.rawValue
      ? capture_default_quantization(family == .ycbcr ? 0 : 1, colorspace, encoding) : quantization
    return reported == V4L2_QUANTIZATION_FULL_RANGE.rawValue
  }

  private var encoding: UInt32 {
    let reported = isMultiPlanar ? UInt32(fmt.pix_mp.ycbcr_enc) : fmt.pix.ycbcr_enc
    return reported == V4L2_YCBCR_ENC_DEFAULT.rawValue ? capture_default_encoding(colorspace) : reported
  }
  private var quantization: UInt32 {
    isMultiPlanar ? UInt32(fmt.pix_mp.quantization) : fmt.pix.quantization
  }
  private var colorspace: UInt32 { isMultiPlanar ? fmt.pix_mp.colorspace : fmt.pix.colorspace }
  private var transferFunction: UInt32 {
    isMultiPlanar ? UInt32(fmt.pix_mp.xfer_func) : fmt.pix.xfer_func
  }
}

extension ColorSpace {
  fileprivate init(_ native: UInt32) {
    self =
      switch native {
      case V4L2_COLORSPACE_SMPTE170M.rawValue: .smpte170M
      case V4L2_COLORSPACE_SMPTE240M.rawValue: .smpte240M
      case V4L2_COLORSPACE_REC709.rawValue: .rec709
      case V4L2_COLORSPACE_470_SYSTEM_M.rawValue: .bt470M
      case V4L2_COLORSPACE_470_SYSTEM_BG.rawValue: .bt470BG
      case V4L2_COLORSPACE_SRGB.rawValue, V4L2_COLORSPACE_JPEG.rawValue: .srgb
      case V4L2_COLORSPACE_OPRGB.rawValue: .opRGB
      case V4L2_COLORSPACE_BT2020.rawValue: .rec2020
      case V4L2_COLORSPACE_RAW.rawValue: .raw
      case V4L2_COLORSPACE_DCI_P3.rawValue: .dciP3
      default: .unknown
      }
  }
}

extension TransferFunction {
  fileprivate init(_ native: UInt32) {
    self =
      switch native {
      case V4L2_XFER_FUNC_709.rawValue: .rec709
      case V4L2_XFER_FUNC_SRGB.rawValue: .srgb
      case V4L2_XFER_FUNC_OPRGB.rawValue: .opRGB
      case V4L2_XFER_FUNC_SMPTE240M.rawValue: .smpte240M
      case V4L2_XFER_FUNC_NONE.rawValue: .linear
      case V4L2_XFER_FUNC_DCI_P3.rawValue: .dciP3
      case V4L2_XFER_FUNC_SMPTE2084.rawValue: .smpte2084
      default: .unknown
      }
  }
}

extension ColorMatrix {
  /// An unknown matrix counts as BT.601's: JFIF has that matrix too, so that nothing is converted for a JPEG.
  fileprivate init(_ native: UInt32) {
    self =
      switch native {
      case V4L2_YCBCR_ENC_709.rawValue, V4L2_YCBCR_ENC_XV709.rawValue: .rec709
      case V4L2_YCBCR_ENC_BT2020.rawValue: .rec2020
      case V4L2_YCBCR_ENC_BT2020_CONST_LUM.rawValue: .rec2020ConstantLuminance
      case V4L2_YCBCR_ENC_SMPTE240M.rawValue: .smpte240M
      default: .rec601
      }
  }
}
