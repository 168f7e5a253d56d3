import CaptureControls
import CaptureModel
import CaptureTestSupport

extension FakeCamera {
  /// A camera whose temperature sets the balances of red and blue too, while its own number stays when these are set; and with an automatic white
  /// balance of its driver's, if wanted.
  static func withColorControls(hasDriversMode: Bool = false) -> FakeCamera {
    let camera = FakeCamera()
    let (temperature, red, blue) = (
      ControlID.whiteBalanceTemperature, ControlID.redBalance, ControlID.blueBalance
    )
    camera.state.withLock { state in
      state.controls = [
        control(.brightness, "brightness", 0...255, 10), control(red, "red_balance", 1...2047, 512),
        control(blue, "blue_balance", 1...2047, 512),
        control(temperature, "white_balance_temperature", 2000...10_000, 5000, flags: .update),
      ]
      state.effects = [temperature: [red: .integer(400), blue: .integer(700)]]
      guard hasDriversMode else { return }
      let mode = ControlID.autoWhiteBalance
      state.controls.append(
        ControlDescription(
          id: mode, name: "white_balance_automatic", label: "White Balance, Automatic", type: .boolean,
          maximum: 1, flags: .update))
      for id in [temperature, red, blue] { state.owners[id] = .init(mode, manual: [0]) }
    }
    return camera
  }

  private static func control(
    _ id: ControlID, _ name: String, _ range: ClosedRange<Int64>, _ value: Int64, flags: ControlFlags = []
  ) -> ControlDescription {
    ControlDescription(
      id: id, name: name, label: name, type: .integer, minimum: range.lowerBound, maximum: range.upperBound,
      defaultValue: value, flags: flags)
  }
}
