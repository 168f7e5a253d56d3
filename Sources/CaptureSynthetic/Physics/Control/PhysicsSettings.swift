import CaptureControls
import CaptureModel

/// The values of the controls: those of a frame, or those that were set last.
struct PhysicsSettings: Hashable, Sendable {
  private var values: [ControlID: Int64]
  /// The white balance of a camera that has no control for it, in kelvin.
  var hiddenTemperature = 5000.0

  init(_ table: [ControlDescription]) {
    values = Dictionary(uniqueKeysWithValues: table.map { ($0.id, $0.defaultValue) })
    adoptTemperature()
  }

  subscript(_ id: ControlID) -> Int64? { values[id] }

  /// Sets a value. Nothing happens if the camera does not have the control. A temperature sets red and blue balance too.
  mutating func set(_ id: ControlID, _ value: Int64) {
    guard values[id] != nil else { return }
    values[id] = value
    if id == .whiteBalanceTemperature { adoptTemperature() }
  }

  private mutating func adoptTemperature() {
    guard values[.redBalance] != nil, let kelvin = values[.whiteBalanceTemperature] else { return }
    let gains = Self.gains(kelvin: Double(kelvin))
    for (id, gain) in [(ControlID.redBalance, gains.red), (.blueBalance, gains.blue)] {
      values[id] = Int64((gain * SensorModel.unityBalance).rounded())
    }
  }

  /// The gains that make a grey thing grey under light of that temperature.
  static func gains(kelvin: Double) -> SensorColor {
    let light = Illuminant.color(kelvin)
    return SensorColor(red: 1 / light.red, green: 1, blue: 1 / light.blue)
  }

  func isAutomatic(_ automation: ControlID) -> Bool {
    switch (automation, values[automation]) {
    case (_, nil): false
    case (.autoExposure, let value): value == PhysicsControls.automaticExposure
    case (_, let value): value == 1
    }
  }

  /// Whether an automatic mode has taken `id` over.
  func isTakenOver(_ id: ControlID) -> Bool {
    PhysicsControls.automation(of: id).map(isAutomatic) ?? false
  }

  var gains: SensorColor {
    if let red = values[.redBalance], let blue = values[.blueBalance] {
      return SensorColor(
        red: Double(red) / SensorModel.unityBalance, green: 1, blue: Double(blue) / SensorModel.unityBalance)
    }
    return Self.gains(kelvin: values[.whiteBalanceTemperature].map(Double.init) ?? hiddenTemperature)
  }

  /// The lens position, 0…1.
  var lens: Double {
    // Without an actuator the lens is focused at 1 m.
    values[.focusAbsolute].map { Double($0) / Double(PhysicsControls.focusRange.upperBound) }
      ?? LensOptics.position(inFocusAt: 1)
  }

  var zoom: Double { Double(values[.zoomAbsolute] ?? 100) / 100 }

  /// The torch's power, 0…1.
  var torch: Double {
    guard values[.flashLEDMode] == PhysicsControls.ledTorch, let intensity = values[.torchIntensity] else {
      return 0
    }
    return Double(intensity) / Double(PhysicsControls.torchMaximum)
  }

  /// The bias of the automatic exposure, in EV.
  var bias: Double { Double((values[.autoExposureBias] ?? 4) - 4) / 2 }
}
