import CaptureModel

extension CameraID {
  /// A camera's identity: where it is plugged in and, on USB, which device it is.
  ///
  /// On USB the identity is "usb-CONTROLLER-PORT-VENDOR_PRODUCT[_SERIAL]", and "-ifN" follows for an interface other than 0. Elsewhere it is the
  /// driver's `bus_info`, or the driver's name where there is none. "-nodeN" follows for a node other than its driver's first. So a camera with two
  /// interfaces or streams is two cameras.
  init(_ node: VideoNode, _ capability: NodeCapability) {
    var text: String
    if let usb = node.usb {
      text = "usb-\(usb.controller)-\(usb.port)-\(usb.vendor)_\(usb.product)"
      if !usb.serial.isEmpty { text += "_\(usb.serial)" }
      if usb.interface != 0 { text += "-if\(usb.interface)" }
    } else {
      text = capability.busInfo.isEmpty ? capability.driver : capability.busInfo
      if let colon = text.firstIndex(of: ":") { text.replaceSubrange(colon...colon, with: "-") }
    }
    if node.index != 0, !capability.isNumberedInstance { text += "-node\(node.index)" }
    self.init(rawValue: String(text.map { $0.isIdentityCharacter ? $0 : "_" }))
  }
}

extension NodeCapability {
  /// Whether `bus_info` ends in a number that `v4l2_device_set_name` gave to the instance ("platform:vivid-001"). Such a `bus_info` belongs to one
  /// node alone, while the node's `index` counts over all instances.
  fileprivate var isNumberedInstance: Bool {
    let end = busInfo.split(separator: "-").last ?? ""
    return busInfo.hasSuffix("\(driver)-\(end)") && end.count == 3 && end.allSatisfy(\.isWholeNumber)
  }
}

extension Character {
  fileprivate var isIdentityCharacter: Bool {
    isASCII && (isLetter || isNumber || self == "." || self == "-" || self == ":" || self == "_")
  }
}
