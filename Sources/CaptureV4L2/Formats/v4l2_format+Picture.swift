import CVideo4Linux
import CaptureModel

/// One view of the two layouts of `v4l2_format`, which `type` tells apart.
extension v4l2_format {
  private var isMultiPlanar: Bool { type == BufferType.multiPlanar.rawValue }

  var pixelFormat: PixelFormat {
    get { PixelFormat(rawValue: isMultiPlanar ? fmt.pix_mp.pixelformat : fmt.pix.pixelformat) }
    set {
      if isMultiPlanar {
        fmt.pix_mp.pixelformat = newValue.rawValue
      } else {
        fmt.pix.pixelformat = newValue.rawValue
      }
    }
  }

  var size: FrameSize {
    get {
      isMultiPlanar
        ? FrameSize(width: Int(fmt.pix_mp.width), height: Int(fmt.pix_mp.height))
        : FrameSize(width: Int(fmt.pix.width), height: Int(fmt.pix.height))
    }
    set {
      if isMultiPlanar {
        (fmt.pix_mp.width, fmt.pix_mp.height) = (UInt32(newValue.width), UInt32(newValue.height))
      } else {
        (fmt.pix.width, fmt.pix.height) = (UInt32(newValue.width), UInt32(newValue.height))
      }
    }
  }

  /// Stride and bytes of each memory plane.
  var planes: [PlaneLayout] {
    guard isMultiPlanar else {
      return [PlaneLayout(stride: Int(fmt.pix.bytesperline), bytes: Int(fmt.pix.sizeimage))]
    }
    let count = min(Int(fmt.pix_mp.num_planes), Int(VIDEO_MAX_PLANES))
    return withUnsafeBytes(of: fmt.pix_mp.plane_fmt) { bytes in
      bytes.bindMemory(to: v4l2_plane_pix_format.self).prefix(count).map {
        PlaneLayout(stride: Int($0.bytesperline), bytes: Int($0.sizeimage))
      }
    }
  }

  /// What a new request may not keep from the last format: the driver chooses strides, plane sizes and fields anew.
  mutating func request(_ pixelFormat: PixelFormat, _ size: FrameSize) {
    self = v4l2_format(type: type, fmt: .init())
    self.pixelFormat = pixelFormat
    self.size = size
    if isMultiPlanar {
      fmt.pix_mp.field = V4L2_FIELD_ANY.rawValue
    } else {
      fmt.pix.field = V4L2_FIELD_ANY.rawValue
    }
  }

  /// `V4L2_MAP_YCBCR_ENC_DEFAULT` where the driver leaves it open.
  var matrix: ColorMatrix {
    switch encoding {
    case V4L2_YCBCR_ENC_709.rawValue, V4L2_YCBCR_ENC_XV709.rawValue: .rec709
    case V4L2_YCBCR_ENC_BT2020.rawValue, V4L2_YCBCR_ENC_BT2020_CONST_LUM.rawValue: .rec2020
    case V4L2_YCBCR_ENC_DEFAULT.rawValue:
      switch colorspace {
      case V4L2_COLORSPACE_REC709.rawValue, V4L2_COLORSPACE_DCI_P3.rawValue: .rec709
      case V4L2_COLORSPACE_BT2020.rawValue: .rec2020
      default: .rec601
      }
    default: .rec601
    }
  }

  /// `V4L2_MAP_QUANTIZATION_DEFAULT` where the driver leaves it open: RGB and JPEG are full range, Y'CbCr is not.
  var isFullRange: Bool {
    switch quantization {
    case V4L2_QUANTIZATION_FULL_RANGE.rawValue: true
    case V4L2_QUANTIZATION_LIM_RANGE.rawValue: false
    default: colorspace == V4L2_COLORSPACE_JPEG.rawValue || pixelFormat.isRGB
    }
  }

  private var encoding: UInt32 {
    isMultiPlanar ? UInt32(fmt.pix_mp.ycbcr_enc) : fmt.pix.ycbcr_enc
  }
  private var quantization: UInt32 {
    isMultiPlanar ? UInt32(fmt.pix_mp.quantization) : fmt.pix.quantization
  }
  private var colorspace: UInt32 {
    isMultiPlanar ? fmt.pix_mp.colorspace : fmt.pix.colorspace
  }
}

extension PixelFormat {
  /// RGB in any order and depth: videodev2.h gives these codes an R, G or B in front, or a letter for alpha and padding.
  fileprivate var isRGB: Bool {
    let name = description.prefix(4)
    return [
      "RGB", "BGR", "R444", "RGB1", "AR", "XR", "AB", "XB", "BA12", "BA15", "BX", "RA", "RX", "GA", "GX",
    ]
    .contains { name.hasPrefix($0) } && !["RGGB", "BA81"].contains(String(name))
  }
}
