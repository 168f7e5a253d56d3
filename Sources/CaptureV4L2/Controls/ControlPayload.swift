import CVideo4Linux
import CaptureModel
import CaptureSystem

/// The memory of a control's value: inside `v4l2_ext_control`, or behind its pointer.
struct ControlPayload {
  private let native: v4l2_query_ext_ctrl
  private let layout: ControlValueLayout

  init(_ native: v4l2_query_ext_ctrl) {
    self.native = native
    layout = ControlValueLayout(native)
  }

  private var isPointer: Bool { native.flags & UInt32(V4L2_CTRL_FLAG_HAS_PAYLOAD) != 0 }

  /// Reads the control's value.
  func read(from device: borrowing VideoDevice) throws(Errno) -> ControlValue {
    var control = v4l2_ext_control()
    control.id = native.id
    guard isPointer else {
      try device.get(&control)
      return .integer(layout.type == .integer64 ? control.value64 : layout.widen(control.value))
    }
    var bytes = [UInt8](repeating: 0, count: layout.capacity)
    try withPayload(&bytes, &control) { (control) throws(Errno) in try device.get(&control) }
    return layout.decode(bytes.prefix(Int(control.size)))
  }

  /// Sets the control. Throws `EINVAL` where `value` does not have this control's type or length, and `ERANGE` where a number or a text does not fit.
  func write(_ value: ControlValue, to device: borrowing VideoDevice) throws(Errno) {
    var control = v4l2_ext_control()
    control.id = native.id
    if isPointer {
      var bytes = try layout.encode(value)
      return try withPayload(&bytes, &control) { (control) throws(Errno) in try device.set(&control) }
    }
    guard case .integer(let integer) = value else { throw .invalid }
    if layout.type == .integer64 {
      control.value64 = integer
    } else {
      control.value = try layout.narrow(integer)
    }
    try device.set(&control)
  }

  private func withPayload(
    _ bytes: inout [UInt8], _ control: inout v4l2_ext_control,
    _ call: (inout v4l2_ext_control) throws(Errno) -> Void
  ) throws(Errno) {
    control.size = UInt32(bytes.count)
    let failure = bytes.withUnsafeMutableBytes { memory -> Errno? in
      control.ptr = memory.baseAddress
      do throws(Errno) {
        try call(&control)
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }
}
