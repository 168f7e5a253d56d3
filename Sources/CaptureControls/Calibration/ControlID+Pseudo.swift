import CaptureModel

/// Parts of a camera that show in its pictures but have no V4L2 control. They get a control id, so that they can be measured and have a delay. The
/// ids lie beyond those that V4L2 gives (`V4L2_CTRL_ID_MASK`).
extension ControlID {
  /// The part of the sensor in use (`VIDIOC_S_SELECTION`).
  package static let sensorCrop = ControlID(rawValue: 0xffff_0001)
  /// An LED that is the camera's torch.
  package static let lamp = ControlID(rawValue: 0xffff_0002)
}

extension ControlDescription {
  /// Factors from 1 to `most`, in thousandths.
  package static func sensorCrop(most: Double) -> ControlDescription {
    ControlDescription(
      id: .sensorCrop, name: "sensor_crop", label: "Sensor Crop", type: .integer, minimum: 1000,
      maximum: Int64(most * 1000), defaultValue: 1000)
  }

  /// The lamp, from off to full brightness, in this many steps; `nil`: in thousandths, because it takes any level.
  package static func lamp(steps: Int?) -> ControlDescription {
    ControlDescription(
      id: .lamp, name: "torch_led", label: "Torch LED", type: steps == 1 ? .boolean : .integer,
      maximum: Int64(steps ?? 1000))
  }
}
