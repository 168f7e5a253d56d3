import CCaptureShims
import CVideo4Linux
import CaptureModel
import CaptureSystem
import Glibc

/// The rectangles that select what a driver captures.
enum SelectionTarget: UInt32, Sendable {
  /// `V4L2_SEL_TGT_CROP`: the part of the sensor in use.
  case crop = 0
  /// `V4L2_SEL_TGT_CROP_DEFAULT`
  case cropDefault = 1
  /// `V4L2_SEL_TGT_COMPOSE`: the part of the picture that the driver fills.
  case compose = 0x100
}

extension VideoDevice {
  /// The rectangle that the driver has selected as `target`; `nil` where it has none. Corresponds to `VIDIOC_G_SELECTION`.
  func selection(_ target: SelectionTarget) throws(Errno) -> PixelArea? {
    var native = v4l2_selection(target)
    do throws(Errno) {
      try call(capture_VIDIOC_G_SELECTION, &native)
    } catch {
      // A driver returns ENODATA if the input in use has no such rectangle.
      if [EINVAL, ENOTTY, ENODATA].contains(error.rawValue) { return nil }
      throw error
    }
    return native.r.width > 0 && native.r.height > 0 ? PixelArea(native.r) : nil
  }

  /// Sets a rectangle, and returns what the driver made of it. Corresponds to `VIDIOC_S_SELECTION`.
  func select(_ area: PixelArea, as target: SelectionTarget) throws(Errno) -> PixelArea {
    var native = v4l2_selection(target)
    native.r = v4l2_rect(
      left: Int32(clamping: area.x), top: Int32(clamping: area.y), width: UInt32(clamping: area.width),
      height: UInt32(clamping: area.height))
    try call(capture_VIDIOC_S_SELECTION, &native)
    return PixelArea(native.r)
  }

  /// Makes the captured image fill the whole picture: when the picture grows, a driver that composes leaves the image in a part of it.
  func fillPicture(_ size: FrameSize) {
    let whole = PixelArea(x: 0, y: 0, width: size.width, height: size.height)
    guard let present = try? selection(.compose), present != whole else { return }
    _ = try? select(whole, as: .compose)
  }

  /// The part of the sensor in use; `nil` where it is unknown.
  func crop() throws(Errno) -> SensorCrop? {
    guard let whole = try selection(.cropDefault), let area = try selection(.crop) else { return nil }
    return SensorCrop(whole: whole, area: area)
  }
}

extension v4l2_selection {
  /// The type is the single-planar one for every device: the kernel's documentation forbids the multi-planar one.
  fileprivate init(_ target: SelectionTarget) {
    self.init()
    type = BufferType.singlePlanar.rawValue
    self.target = target.rawValue
  }
}

extension PixelArea {
  fileprivate init(_ native: v4l2_rect) {
    self.init(
      x: Int(native.left), y: Int(native.top), width: Int(native.width), height: Int(native.height))
  }
}
