import CaptureSystem

/// A video node as sysfs describes it, without opening it.
struct VideoNode: Hashable, Sendable {
  /// "/dev/video0"
  var path: String
  /// Its directory in /sys/devices: another one after a replug elsewhere, the same one at the same port.
  var systemPath: String
  /// Which of its driver's nodes it is (`index`).
  var index: Int
  /// The USB device behind it, if there is one.
  var usb: USBLocation?
}

/// Where a USB camera is plugged in, and which it is.
struct USBLocation: Hashable, Sendable {
  /// The host controller: "0000:00:14.0".
  var controller: String
  /// Ports from the root hub on: "2", "1.4".
  var port: String
  /// Hexadecimal, four digits each.
  var vendor: String
  var product: String
  var serial: String
  /// `bInterfaceNumber` of the interface that makes the node.
  var interface: Int
}

/// Where nodes are found. Another place in tests.
struct SystemPaths: Sendable {
  var sysfs = "/sys"
  var dev = "/dev"

  /// Every video node there is, in the order of their numbers.
  func videoNodes() -> [VideoNode] {
    names(in: "\(sysfs)/class/video4linux")
      .compactMap { name in Int(name.drop { !$0.isNumber }).map { (name: name, number: $0) } }
      .filter { $0.name == "video\($0.number)" }
      .sorted { $0.number < $1.number }
      .compactMap { node($0.name) }
  }

  private func node(_ name: String) -> VideoNode? {
    guard let directory = resolved("\(sysfs)/class/video4linux/\(name)") else { return nil }
    return VideoNode(
      path: "\(dev)/\(name)", systemPath: directory,
      index: contents("\(directory)/index").flatMap { Int($0) } ?? 0, usb: USBLocation(above: directory))
  }
}

extension USBLocation {
  /// Looks for the USB device above a node's directory: …/HCD/usb1/1-2/1-2:1.0/video4linux/video0.
  init?(above directory: String) {
    let components = directory.split(separator: "/").map(String.init)
    guard
      let deviceIndex = components.indices.last(where: {
        contents("/" + components[...$0].joined(separator: "/") + "/idVendor") != nil
      }),
      let busIndex = components[..<deviceIndex].lastIndex(where: { $0.hasPrefix("usb") }), busIndex > 0
    else { return nil }
    let device = "/" + components[...deviceIndex].joined(separator: "/")
    controller = components[busIndex - 1]
    port = String(components[deviceIndex].drop { $0 != "-" }.dropFirst())
    vendor = contents("\(device)/idVendor") ?? ""
    product = contents("\(device)/idProduct") ?? ""
    serial = contents("\(device)/serial") ?? ""
    interface = 0
    if deviceIndex + 1 < components.count {
      let name = components[deviceIndex + 1]
      interface = contents("\(device)/\(name)/bInterfaceNumber").flatMap { Int($0, radix: 16) } ?? 0
    }
  }
}
