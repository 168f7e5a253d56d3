import CaptureModel

/// What shows in a camera's pictures and is no control of its driver, as one: to be measured, and to have a delay. Their numbers are beyond
/// those that V4L2 gives (`V4L2_CTRL_ID_MASK`).
extension ControlID {
  /// The part of the sensor that is used (`VIDIOC_S_SELECTION`).
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

  /// Off to as bright as it gets, where it `hasLevel` in thousandths.
  package static func lamp(hasLevel: Bool) -> ControlDescription {
    ControlDescription(
      id: .lamp, name: "torch_led", label: "Torch LED", type: hasLevel ? .integer : .boolean,
      maximum: hasLevel ? 1000 : 1)
  }
}
