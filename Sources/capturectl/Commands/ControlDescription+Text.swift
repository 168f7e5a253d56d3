import CaptureClient
import CaptureControls

extension ControlDescription {
  /// The unit of a value, where V4L2 defines one: `V4L2_CID_WHITE_BALANCE_TEMPERATURE`, `_EXPOSURE_ABSOLUTE`, `_PAN_ABSOLUTE`, `_TILT_ABSOLUTE`.
  var unit: String? {
    switch id {
    case .whiteBalanceTemperature: "K"
    case .exposureAbsolute: "100 µs"
    case .panAbsolute, .tiltAbsolute: "arc seconds"
    default: nil
    }
  }
}
