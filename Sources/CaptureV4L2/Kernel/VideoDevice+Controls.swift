import CCaptureShims
import CVideo4Linux
import CaptureModel
import CaptureSystem

extension VideoDevice {
  /// The control after `id` in the driver's list, which includes compounds and arrays; `nil` after the last. Corresponds to `VIDIOC_QUERY_EXT_CTRL`
  /// with `V4L2_CTRL_FLAG_NEXT_CTRL` and `V4L2_CTRL_FLAG_NEXT_COMPOUND`.
  func control(after id: UInt32) throws(Errno) -> v4l2_query_ext_ctrl? {
    try query(id | UInt32(V4L2_CTRL_FLAG_NEXT_CTRL) | UInt32(V4L2_CTRL_FLAG_NEXT_COMPOUND))
  }

  /// The control with this id; `nil`: there is none. Corresponds to `VIDIOC_QUERY_EXT_CTRL`.
  func control(_ id: ControlID) throws(Errno) -> v4l2_query_ext_ctrl? {
    try query(id.rawValue)
  }

  private func query(_ id: UInt32) throws(Errno) -> v4l2_query_ext_ctrl? {
    var native = v4l2_query_ext_ctrl()
    native.id = id
    do throws(Errno) {
      try call(capture_VIDIOC_QUERY_EXT_CTRL, &native)
      return native
    } catch {
      if error == .invalid || error == .notTTY { return nil }
      throw error
    }
  }

  /// The item of a menu at an index; `nil` where the menu has none at it. Corresponds to `VIDIOC_QUERYMENU`.
  func menuItem(_ id: ControlID, at index: UInt32) throws(Errno) -> v4l2_querymenu? {
    var native = v4l2_querymenu()
    native.id = id.rawValue
    native.index = index
    do throws(Errno) {
      try call(capture_VIDIOC_QUERYMENU, &native)
    } catch .invalid {
      return nil
    }
    return native
  }

  /// Reads one control. Corresponds to `VIDIOC_G_EXT_CTRLS` with one entry.
  func get(_ control: inout v4l2_ext_control) throws(Errno) {
    try exchange(capture_VIDIOC_G_EXT_CTRLS, &control)
  }

  /// Sets one control. Several are never set by one call: uvcvideo would send them in the camera's order, in which a value may come before the
  /// automatic mode that has to be switched off for it. Corresponds to `VIDIOC_S_EXT_CTRLS` with one entry.
  func set(_ control: inout v4l2_ext_control) throws(Errno) {
    try exchange(capture_VIDIOC_S_EXT_CTRLS, &control)
  }

  private func exchange(_ request: UInt, _ control: inout v4l2_ext_control) throws(Errno) {
    let failure = withUnsafeMutablePointer(to: &control) { pointer -> Errno? in
      var native = v4l2_ext_controls()
      native.which = UInt32(V4L2_CTRL_WHICH_CUR_VAL)
      native.count = 1
      native.controls = pointer
      do throws(Errno) {
        try call(request, &native)
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }
}
