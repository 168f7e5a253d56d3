import CVideo4Linux

/// The use of a node.
enum NodeRole: Hashable, Sendable {
  case camera(BufferType)
  /// A camera that this backend cannot use; the reason is for a person.
  case unusable(BufferType, reason: String)
  /// Metadata, output, codecs and the like; the text says to a person what the node is.
  case other(String)
}

extension NodeCapability {
  var role: NodeRole {
    let isMultiPlanar = has(V4L2_CAP_VIDEO_CAPTURE_MPLANE)
    guard isMultiPlanar || has(V4L2_CAP_VIDEO_CAPTURE) else {
      return .other(has(V4L2_CAP_META_CAPTURE) ? "a metadata node" : "no capture device")
    }
    if has(V4L2_CAP_VIDEO_M2M) || has(V4L2_CAP_VIDEO_M2M_MPLANE) { return .other("a codec or converter") }
    if has(V4L2_CAP_TOUCH) { return .other("a touch sensor") }
    // A loopback device may report both directions. Any other node that does so is a converter.
    if has(V4L2_CAP_VIDEO_OUTPUT) || has(V4L2_CAP_VIDEO_OUTPUT_MPLANE), driver != "v4l2 loopback" {
      return .other("a codec or converter")
    }
    if Self.imageProcessors.contains(where: driver.hasPrefix) { return .other("an image processor") }
    let type: BufferType = has(V4L2_CAP_VIDEO_CAPTURE) ? .singlePlanar : .multiPlanar
    if has(V4L2_CAP_IO_MC) || Self.sensorInterfaces.contains(where: driver.hasPrefix) {
      return .unusable(
        type,
        reason:
          "only libcamera can drive this node of \(driver): its sensor and image processor are set up apart from it"
      )
    }
    if !has(V4L2_CAP_STREAMING) {
      return .unusable(type, reason: "its driver \(driver) offers read() only, no streaming")
    }
    return .camera(type)
  }

  /// Drivers that process pictures from memory; another driver has the sensor.
  private static let imageProcessors = ["pispbe", "bcm2835-isp", "ipu3-imgu"]

  /// Drivers of sensor interfaces, which older kernels do not mark with `V4L2_CAP_IO_MC`.
  private static let sensorInterfaces = [
    "unicam", "rp1-cfe", "ipu3-cio2", "isys", "intel-ipu", "rkisp1", "rkcif", "qcom-camss", "sun6i-csi",
    "imx7-csi", "mxc-isi", "omap3isp",
  ]
}
