import CVideo4Linux
import CaptureModel
import Testing

@testable import CaptureV4L2

/// What a driver's four colour fields come to, for each family of formats.
@Suite struct ColorTests {
  private func color(
    _ code: String, _ space: v4l2_colorspace, _ encoding: v4l2_ycbcr_encoding = V4L2_YCBCR_ENC_DEFAULT,
    _ quantization: v4l2_quantization = V4L2_QUANTIZATION_DEFAULT,
    _ transfer: v4l2_xfer_func = V4L2_XFER_FUNC_DEFAULT, _ type: BufferType = .singlePlanar
  ) -> ColorDescription {
    var format = v4l2_format(type: type.rawValue, fmt: .init())
    format.request(PixelFormat(code)!, FrameSize(width: 640, height: 480))
    if type == .multiPlanar {
      format.fmt.pix_mp.colorspace = space.rawValue
      format.fmt.pix_mp.ycbcr_enc = UInt8(encoding.rawValue)
      format.fmt.pix_mp.quantization = UInt8(quantization.rawValue)
      format.fmt.pix_mp.xfer_func = UInt8(transfer.rawValue)
    } else {
      format.fmt.pix.colorspace = space.rawValue
      format.fmt.pix.ycbcr_enc = encoding.rawValue
      format.fmt.pix.quantization = quantization.rawValue
      format.fmt.pix.xfer_func = transfer.rawValue
    }
    return format.color
  }

  @Test(arguments: [BufferType.singlePlanar, .multiPlanar])
  func defaultsFollowFromTheColorSpace(type: BufferType) {
    let wanted: [(v4l2_colorspace, ColorDescription)] = [
      (V4L2_COLORSPACE_DEFAULT, .init(space: .unknown, transfer: .rec709, matrix: .rec601)),
      (V4L2_COLORSPACE_SMPTE170M, .init(space: .smpte170M, transfer: .rec709, matrix: .rec601)),
      (V4L2_COLORSPACE_SMPTE240M, .init(space: .smpte240M, transfer: .smpte240M, matrix: .smpte240M)),
      (V4L2_COLORSPACE_REC709, .init(space: .rec709, transfer: .rec709, matrix: .rec709)),
      (V4L2_COLORSPACE_470_SYSTEM_M, .init(space: .bt470M, transfer: .rec709, matrix: .rec601)),
      (V4L2_COLORSPACE_470_SYSTEM_BG, .init(space: .bt470BG, transfer: .rec709, matrix: .rec601)),
      (V4L2_COLORSPACE_JPEG, .init(space: .srgb, transfer: .srgb, matrix: .rec601, isFullRange: true)),
      (V4L2_COLORSPACE_SRGB, .init(space: .srgb, transfer: .srgb, matrix: .rec601)),
      (V4L2_COLORSPACE_OPRGB, .init(space: .opRGB, transfer: .opRGB, matrix: .rec601)),
      (V4L2_COLORSPACE_BT2020, .init(space: .rec2020, transfer: .rec709, matrix: .rec2020)),
      (V4L2_COLORSPACE_RAW, .init(space: .raw, transfer: .linear, matrix: .rec601)),
      (V4L2_COLORSPACE_DCI_P3, .init(space: .dciP3, transfer: .dciP3, matrix: .rec709)),
    ]
    for (space, color) in wanted {
      #expect(
        self.color(
          "NV12", space, V4L2_YCBCR_ENC_DEFAULT, V4L2_QUANTIZATION_DEFAULT, V4L2_XFER_FUNC_DEFAULT, type)
          == color)
    }
  }

  @Test func whatTheDriverSaysCounts() {
    #expect(
      color(
        "YUYV", V4L2_COLORSPACE_SRGB, V4L2_YCBCR_ENC_709, V4L2_QUANTIZATION_FULL_RANGE,
        V4L2_XFER_FUNC_SMPTE2084)
        == .init(space: .srgb, transfer: .smpte2084, matrix: .rec709, isFullRange: true))
    let jpeg = color("422P", V4L2_COLORSPACE_JPEG, V4L2_YCBCR_ENC_DEFAULT, V4L2_QUANTIZATION_LIM_RANGE)
    #expect(!jpeg.isFullRange)
    let constant = color("YUYV", V4L2_COLORSPACE_BT2020, V4L2_YCBCR_ENC_BT2020_CONST_LUM)
    #expect(constant.matrix == .rec2020ConstantLuminance && !constant.isFullRange)
  }

  @Test(arguments: [V4L2_QUANTIZATION_DEFAULT, V4L2_QUANTIZATION_FULL_RANGE, V4L2_QUANTIZATION_LIM_RANGE])
  func xvYCCIsLimitedWhateverIsSaid(quantization: v4l2_quantization) {
    for code in ["YUYV", "NV12", "GREY"] {
      for (encoding, matrix) in [
        (V4L2_YCBCR_ENC_XV601, ColorMatrix.rec601), (V4L2_YCBCR_ENC_XV709, .rec709),
      ] {
        let color = color(code, V4L2_COLORSPACE_JPEG, encoding, quantization)
        #expect(color.matrix == matrix && !color.isFullRange)
      }
    }
    // No encoding of RGB's.
    let rgb = color("RGB3", V4L2_COLORSPACE_SRGB, V4L2_YCBCR_ENC_XV709, quantization)
    #expect(rgb.matrix == .identity && rgb.isFullRange == (quantization != V4L2_QUANTIZATION_LIM_RANGE))
  }

  @Test func whatHasNoChromaIsFullUnlessItIsSaid() {
    for code in ["GREY", "Y10", "Y16", "Y16-BE", "RGB3", "XR24", "RGBP", "HSV3", "RGGB", "BA81", "BG10"] {
      #expect(color(code, V4L2_COLORSPACE_SRGB).isFullRange, "\(code)")
      let limited = color(code, V4L2_COLORSPACE_SRGB, V4L2_YCBCR_ENC_DEFAULT, V4L2_QUANTIZATION_LIM_RANGE)
      #expect(!limited.isFullRange, "\(code)")
    }
    for code in ["YUYV", "NV12", "422P", "YUV4", "ABCD"] {
      #expect(!color(code, V4L2_COLORSPACE_SRGB).isFullRange, "\(code)")
    }
    #expect(color("RGGB", V4L2_COLORSPACE_RAW).matrix == .identity)
    #expect(color("GREY", V4L2_COLORSPACE_REC709).matrix == .rec709)
  }
}
