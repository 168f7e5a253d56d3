import CVideo4Linux
import CaptureModel
import CaptureSystem
import Glibc

extension VideoDevice {
  /// The most inputs that are read: a driver whose list never ends must not hold the node.
  private static var mostInputs: UInt32 { 64 }

  /// Every input. The one in use has its status and signal.
  func inputList() throws(Errno) -> [CameraInput] {
    guard let current = try currentInput() else { return [] }
    var inputs: [CameraInput] = []
    for index in 0..<Self.mostInputs {
      guard let native = try input(at: index) else { break }
      inputs.append(index == current ? try selected(native) : CameraInput(native))
    }
    return inputs
  }

  /// The input in use, with its status and signal. `isMeasured`: whether the signal at the input is measured too, which takes some cards a while.
  func selectedInput(isMeasured: Bool = true) throws(Errno) -> CameraInput? {
    guard let current = try currentInput(), let native = try input(at: current) else { return nil }
    return try selected(native, isMeasured: isMeasured)
  }

  private func selected(_ native: v4l2_input, isMeasured: Bool = true) throws(Errno) -> CameraInput {
    var input = CameraInput(native)
    input.isSelected = true
    input.status = InputStatus(flags: native.status)
    if native.has(V4L2_IN_CAP_DV_TIMINGS) {
      let set = try timings()
      input.signal = set.map { .timings(VideoTimings($0)) }
      guard isMeasured else { return input }
      do throws(Errno) {
        input.detected = try detectTimings().map { found in
          // A signal that matches the timings that are set is reported with these: a measured clock differs a little each time.
          set?.isSame(as: found) == true ? input.signal! : .timings(VideoTimings(found))
        }
      } catch {
        guard let status = InputStatus(error) else { throw error }
        // The error says more than the flags, unless these say that the input has no power.
        if input.status != .noPower { input.status = status }
      }
    } else if native.has(V4L2_IN_CAP_STD) {
      let standard = try standard()
      input.signal = standard.map { .standard(Self.name(of: $0)) }
      if isMeasured, let found = try? detectStandard(), found != 0 {
        // Drivers report all standards that the signal may have. If the one that is set is among them, it fits.
        input.detected = found & (standard ?? 0) != 0 ? input.signal : .standard(Self.name(of: found))
      }
    }
    return input
  }

  /// Sets the timings or the standard of the input in use to those of its signal. Returns whether they were different before. Without a signal
  /// nothing changes.
  func adoptSignal() throws(Errno) -> Bool {
    guard let current = try currentInput(), let native = try input(at: current) else { return false }
    if native.has(V4L2_IN_CAP_DV_TIMINGS) {
      let found: v4l2_dv_timings?
      do throws(Errno) {
        found = try detectTimings()
      } catch {
        guard InputStatus(error) != nil else { throw error }
        return false
      }
      guard let found else { return false }
      if let set = try timings(), set.isSame(as: found) { return false }
      try setTimings(found)
      return true
    }
    guard native.has(V4L2_IN_CAP_STD), let found = try detectStandard(), let set = try standard() else {
      return false
    }
    // A driver that cannot recognise the standard reports all standards of the input.
    guard found != 0, found & set == 0, found != native.std else { return false }
    try setStandard(found)
    return true
  }

  private static func name(of standard: v4l2_std_id) -> String {
    let names = [
      (0x0000_00FF, "PAL"), (0x0000_0100, "PAL-M"), (0x0000_0600, "PAL-N"), (0x0000_0800, "PAL-60"),
      (0x0000_B000, "NTSC"), (0x0000_4000, "NTSC-443"), (0x00FF_0000, "SECAM"),
    ].filter { standard & v4l2_std_id($0.0) != 0 }.map(\.1)
    return names.isEmpty ? "none" : names.joined(separator: " or ")
  }
}

extension v4l2_input {
  fileprivate func has(_ capability: Int32) -> Bool { capabilities & UInt32(capability) != 0 }
}

extension CameraInput {
  fileprivate init(_ native: v4l2_input) {
    let kind: Kind =
      switch native.type {
      case UInt32(V4L2_INPUT_TYPE_TUNER): .tuner
      case UInt32(V4L2_INPUT_TYPE_CAMERA): .camera
      case UInt32(V4L2_INPUT_TYPE_TOUCH): .touch
      default: .unknown
      }
    self.init(index: Int(native.index), name: text(native.name), kind: kind, flags: native.status)
  }
}

extension InputStatus {
  init(flags: UInt32) {
    let unlocked = UInt32(
      V4L2_IN_ST_NO_H_LOCK | V4L2_IN_ST_NO_V_LOCK | V4L2_IN_ST_NO_STD_LOCK | V4L2_IN_ST_NO_SYNC
        | V4L2_IN_ST_NO_CARRIER)
    self =
      flags & UInt32(V4L2_IN_ST_NO_POWER) != 0
      ? .noPower
      : flags & UInt32(V4L2_IN_ST_NO_SIGNAL) != 0 ? .noSignal : flags & unlocked != 0 ? .unstable : .ready
  }

  /// The status for an error of `VIDIOC_QUERY_DV_TIMINGS` that the signal causes.
  init?(_ error: Errno) {
    switch error.rawValue {
    case ENOLINK: self = .noSignal
    case ENOLCK: self = .unstable
    case ERANGE: self = .outOfRange
    default: return nil
    }
  }
}
