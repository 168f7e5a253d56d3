import CaptureControls
import CaptureModel
import CaptureSystem
import Glibc

/// Turns a driver's error for a control into a message for a person. The message says what is possible and what to do.
struct ControlFailure {
  var path: String
  var control: ControlDescription

  private var name: String { "'\(control.name)' of \(path)" }

  /// The error for a failed read.
  func reading(_ error: Errno) -> CaptureError {
    if error == .accessDenied {
      return CaptureError(
        .failedPrecondition, "\(name) can be set, not read", cause: error, details(.notReadable))
    }
    // uvcvideo hands on UVC's error 1 so. Whoever else uses the camera has nothing to do with it.
    if error == .busy {
      return CaptureError(
        .failedPrecondition,
        "\(name) cannot be read now: the camera says that it is not ready; try again in a moment",
        cause: error, details(.cameraBusy))
    }
    return DeviceFailure(path: path)(error, "reading '\(control.name)'")
  }

  /// The error for a failed attempt to set `value`.
  func setting(_ value: ControlValue, _ error: Errno) -> CaptureError {
    switch error.rawValue {
    case EACCES where control.flags.contains(.readOnly):
      CaptureError(.failedPrecondition, "\(name) can be read, not set", cause: error, details(.notWritable))
    case EACCES where control.flags.contains(.disabled):
      CaptureError(
        .failedPrecondition, "\(name) is disabled in its driver", cause: error, details(.notWritable))
    case EACCES:
      CaptureError(
        .failedPrecondition, "\(name) cannot be set now: \(takenOver)", cause: error,
        details(.controlInactive))
    case EILSEQ:
      CaptureError(
        .failedPrecondition, "\(name) cannot be set in the camera's present state: \(takenOver)",
        cause: error,
        details(.controlInactive)
      )
    case EBUSY:
      CaptureError(
        .failedPrecondition,
        "\(name) cannot be set now: the camera says that it is not ready, or it is fixed while streaming; "
          + "try again in a moment, or stop the stream",
        cause: error, details(.cameraBusy))
    case ERANGE:
      CaptureError(
        .outOfRange, "\(name) cannot be \(value.text): \(possible)", cause: error,
        details(.valueOutOfRange, value))
    case EINVAL:
      CaptureError(
        .invalidArgument, "\(name) cannot be \(value.text): \(possible)", cause: error,
        details(.valueNotPossible, value))
    default:
      DeviceFailure(path: path)(error, "setting '\(control.name)' to \(value.text)")
    }
  }

  private func details(_ reason: CaptureError.Reason, _ asked: ControlValue? = nil) -> CaptureError.Details {
    CaptureError.Details(
      reason, field: control.name, asked: asked.map { .text($0.text) },
      possible: control.menu.map { "\($0.index)" },
      range: reason == .valueOutOfRange ? .init(Double(control.minimum), Double(control.maximum)) : nil)
  }

  /// Says which automatic mode has taken the control over, if V4L2 defines one for this control.
  private var takenOver: String {
    guard let mode = Self.automaticModes[control.id] else {
      return "another control has taken it over, or the mode that uses it is off; change that one first"
    }
    return "'\(mode)' has taken it over; switch that off first"
  }

  /// For each control, the name of the automatic mode that takes it over.
  private static let automaticModes: [ControlID: String] = [
    .brightness: "brightness_automatic", .hue: "hue_automatic", .redBalance: "white_balance_automatic",
    .blueBalance: "white_balance_automatic", .gain: "gain_automatic",
    .whiteBalanceTemperature: "white_balance_automatic", .exposureAbsolute: "auto_exposure",
    .focusAbsolute: "focus_automatic_continuous", .isoSensitivity: "iso_sensitivity_auto",
  ]

  /// The values that the control takes.
  private var possible: String {
    switch control.type {
    case .menu, .integerMenu: "it is one of " + control.menu.map(\.text).joined(separator: ", ")
    case .boolean: "it is 0 or 1"
    case .button, .controlClass: "it takes an integer, whose value is ignored"
    case .bitmask: "it takes bits of 0x" + String(control.maximum & 0xFFFF_FFFF, radix: 16)
    case .string: "it is a text of \(control.minimum) to \(control.maximum) bytes"
    case .compound: "it is \(control.elements * control.elementSize) bytes"
    case .integer, .integer64, .u8, .u16, .u32:
      (control.dimensions.isEmpty ? "it is " : "it is \(control.elements) values ")
        + "from \(control.minimum) to \(control.maximum) in steps of \(control.step)"
    }
  }
}

extension ControlValue {
  /// The value as a text for a person. Long texts and lists are cut, and raw bytes are only counted.
  fileprivate var text: String {
    switch self {
    case .integer(let value): "\(value)"
    case .text(let text): text.quoted
    case .integers(let values) where values.count > 8:
      values.prefix(8).map(String.init).joined(separator: ",") + ",… (\(values.count) values)"
    case .integers(let values): values.map(String.init).joined(separator: ",")
    case .raw(let bytes): "\(bytes.count) bytes"
    }
  }
}

extension ControlDescription.MenuItem {
  /// "1 (Manual Mode)"
  fileprivate var text: String {
    switch content {
    case .name(let name): "\(index) (\(name))"
    case .value(let value): "\(index) (\(value))"
    }
  }
}
