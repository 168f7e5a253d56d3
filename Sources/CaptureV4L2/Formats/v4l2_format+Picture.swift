import CVideo4Linux
import CaptureModel

/// Gives one view of the two layouts of `v4l2_format`. `type` says which one it has.
extension v4l2_format {
  var isMultiPlanar: Bool { type == BufferType.multiPlanar.rawValue }

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

  /// The stride and bytes of each memory plane.
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

  /// The bytes of a buffer: the sum of its planes.
  var bytes: Int { planes.reduce(0) { $0 + $1.bytes } }

  /// Sets the pixel format and the size, and clears everything else, so that the driver chooses strides, plane sizes and fields again.
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
}
