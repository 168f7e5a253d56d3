import CCaptureShims
import CVideo4Linux
import CaptureModel
import CaptureSystem

/// Which of V4L2's two families of capture calls a node uses.
enum BufferType: UInt32, Sendable {
  /// `V4L2_BUF_TYPE_VIDEO_CAPTURE`
  case singlePlanar = 1
  /// `V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE`
  case multiPlanar = 9
}

extension VideoDevice {
  /// The format with this number; `nil` after the last. Corresponds to `VIDIOC_ENUM_FMT`.
  func format(at index: UInt32, _ type: BufferType) throws(Errno) -> v4l2_fmtdesc? {
    var native = v4l2_fmtdesc()
    native.index = index
    native.type = type.rawValue
    return try pastEnd(capture_VIDIOC_ENUM_FMT, &native) ? nil : native
  }

  /// The size, or range of sizes, with this number; `nil` after the last. Corresponds to `VIDIOC_ENUM_FRAMESIZES`.
  func frameSize(at index: UInt32, for format: PixelFormat) throws(Errno) -> v4l2_frmsizeenum? {
    var native = v4l2_frmsizeenum()
    native.index = index
    native.pixel_format = format.rawValue
    return try pastEnd(capture_VIDIOC_ENUM_FRAMESIZES, &native) ? nil : native
  }

  /// The interval, or range of intervals, with this number; `nil` after the last. Corresponds to `VIDIOC_ENUM_FRAMEINTERVALS`.
  func frameInterval(
    at index: UInt32, for format: PixelFormat, size: FrameSize
  ) throws(Errno) -> v4l2_frmivalenum? {
    var native = v4l2_frmivalenum()
    native.index = index
    native.pixel_format = format.rawValue
    native.width = UInt32(size.width)
    native.height = UInt32(size.height)
    return try pastEnd(capture_VIDIOC_ENUM_FRAMEINTERVALS, &native) ? nil : native
  }

  /// Corresponds to `VIDIOC_G_FMT`.
  func currentFormat(_ type: BufferType) throws(Errno) -> v4l2_format {
    var native = v4l2_format()
    native.type = type.rawValue
    try call(capture_VIDIOC_G_FMT, &native)
    return native
  }

  /// Returns what the driver would make of a format, and changes nothing. Corresponds to `VIDIOC_TRY_FMT`.
  func tryFormat(_ wanted: v4l2_format) throws(Errno) -> v4l2_format {
    var native = wanted
    try call(capture_VIDIOC_TRY_FMT, &native)
    return native
  }

  /// Sets a format and returns what the driver made of it. This resets the frame interval. Corresponds to `VIDIOC_S_FMT`.
  func setFormat(_ wanted: v4l2_format) throws(Errno) -> v4l2_format {
    var native = wanted
    try call(capture_VIDIOC_S_FMT, &native)
    return native
  }

  /// The present frame interval; `nil` where the driver does not know one. Corresponds to `VIDIOC_G_PARM`.
  func interval(_ type: BufferType) throws(Errno) -> FrameInterval? {
    var native = v4l2_streamparm()
    native.type = type.rawValue
    return try parameters(capture_VIDIOC_G_PARM, &native)
  }

  /// Sets the frame interval and returns what the driver made of `wanted`; `nil` where it cannot be set. Corresponds to `VIDIOC_S_PARM`.
  func setInterval(_ wanted: FrameInterval, _ type: BufferType) throws(Errno) -> FrameInterval? {
    var native = v4l2_streamparm()
    native.type = type.rawValue
    native.parm.capture.timeperframe = v4l2_fract(
      numerator: wanted.numerator, denominator: wanted.denominator)
    return try parameters(capture_VIDIOC_S_PARM, &native)
  }

  private func parameters(_ request: UInt, _ native: inout v4l2_streamparm) throws(Errno) -> FrameInterval? {
    do throws(Errno) {
      try call(request, &native)
    } catch .notTTY {
      return nil
    }
    guard native.parm.capture.capability & UInt32(V4L2_CAP_TIMEPERFRAME) != 0 else { return nil }
    return FrameInterval(native.parm.capture.timeperframe)
  }

  /// Makes an enumerating ioctl. Returns `true` at the end: EINVAL ends every enumeration, and a driver without this enumeration returns ENOTTY.
  private func pastEnd<T>(_ request: UInt, _ native: inout T) throws(Errno) -> Bool {
    do throws(Errno) {
      try call(request, &native)
      return false
    } catch .invalid {
      return true
    } catch .notTTY {
      return true
    }
  }
}
