import CCaptureShims
import CVideo4Linux
import CaptureModel
import CaptureSystem
import Glibc

extension VideoDevice {
  /// The input with this number; `nil` after the last. Corresponds to `VIDIOC_ENUMINPUT`.
  func input(at index: UInt32) throws(Errno) -> v4l2_input? {
    var native = v4l2_input()
    native.index = index
    return try has(capture_VIDIOC_ENUMINPUT, &native) ? native : nil
  }

  /// The number of the input in use; `nil` where the driver has none. Corresponds to `VIDIOC_G_INPUT`.
  func currentInput() throws(Errno) -> UInt32? {
    var index: Int32 = 0
    return try has(capture_VIDIOC_G_INPUT, &index) ? UInt32(bitPattern: index) : nil
  }

  /// Corresponds to `VIDIOC_S_INPUT`.
  func setInput(_ index: UInt32) throws(Errno) {
    var native = Int32(bitPattern: index)
    try call(capture_VIDIOC_S_INPUT, &native)
  }

  /// The timings to which the input in use is set; `nil` where it has none. Corresponds to `VIDIOC_G_DV_TIMINGS`.
  func timings() throws(Errno) -> v4l2_dv_timings? {
    var native = v4l2_dv_timings()
    return try has(capture_VIDIOC_G_DV_TIMINGS, &native) ? native : nil
  }

  /// The timings of the signal at the input in use. Throws `ENOLINK`, `ENOLCK` and `ERANGE`. Corresponds to `VIDIOC_QUERY_DV_TIMINGS`.
  func detectTimings() throws(Errno) -> v4l2_dv_timings? {
    var native = v4l2_dv_timings()
    return try has(capture_VIDIOC_QUERY_DV_TIMINGS, &native) ? native : nil
  }

  /// Corresponds to `VIDIOC_S_DV_TIMINGS`.
  func setTimings(_ timings: v4l2_dv_timings) throws(Errno) {
    var native = timings
    try call(capture_VIDIOC_S_DV_TIMINGS, &native)
  }

  /// Corresponds to `VIDIOC_G_STD`.
  func standard() throws(Errno) -> v4l2_std_id? {
    var native: v4l2_std_id = 0
    return try has(capture_VIDIOC_G_STD, &native) ? native : nil
  }

  /// The standards that the signal at the input in use may have; 0: there is no signal. `nil`: the driver cannot detect them. Corresponds to
  /// `VIDIOC_QUERYSTD`.
  func detectStandard() throws(Errno) -> v4l2_std_id? {
    var native: v4l2_std_id = 0
    return try has(capture_VIDIOC_QUERYSTD, &native) ? native : nil
  }

  /// Corresponds to `VIDIOC_S_STD`.
  func setStandard(_ standard: v4l2_std_id) throws(Errno) {
    var native = standard
    try call(capture_VIDIOC_S_STD, &native)
  }

  /// The EDID that an input presents to the device that is connected to it: at most `blocks` blocks of 128 bytes. Corresponds to `VIDIOC_G_EDID`.
  func edid(ofInput index: UInt32, blocks: Int) throws(Errno) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: blocks * 128)
    let taken = try exchangeEDID(capture_VIDIOC_G_EDID, &bytes, ofInput: index)
    return Array(bytes.prefix(taken * 128))
  }

  /// Sets the EDID that an input presents to the device that is connected to it, in blocks of 128 bytes. Corresponds to `VIDIOC_S_EDID`.
  func setEDID(_ edid: [UInt8], ofInput index: UInt32) throws(Errno) {
    var bytes = edid
    _ = try exchangeEDID(capture_VIDIOC_S_EDID, &bytes, ofInput: index)
  }

  /// Returns how many blocks the driver has read or written.
  private func exchangeEDID(_ request: UInt, _ bytes: inout [UInt8], ofInput index: UInt32) throws(Errno)
    -> Int
  {
    let result = bytes.withUnsafeMutableBufferPointer { bytes -> Result<Int, Errno> in
      var native = v4l2_edid()
      native.pad = index
      native.blocks = UInt32(bytes.count / 128)
      native.edid = bytes.baseAddress
      do throws(Errno) {
        try call(request, &native)
        return .success(Int(native.blocks))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Subscribes to changes of the source at an input. Corresponds to `VIDIOC_SUBSCRIBE_EVENT` with `V4L2_EVENT_SOURCE_CHANGE`.
  func subscribeToSource(ofInput index: UInt32) throws(Errno) {
    var native = v4l2_event_subscription()
    native.type = UInt32(V4L2_EVENT_SOURCE_CHANGE)
    native.id = index
    try call(capture_VIDIOC_SUBSCRIBE_EVENT, &native)
  }

  /// Makes an ioctl. Returns `false` where the driver, or the input in use, does not support it.
  private func has<T>(_ request: UInt, _ native: inout T) throws(Errno) -> Bool {
    do throws(Errno) {
      try call(request, &native)
      return true
    } catch {
      if [EINVAL, ENOTTY, ENODATA].contains(error.rawValue) { return false }
      throw error
    }
  }
}
