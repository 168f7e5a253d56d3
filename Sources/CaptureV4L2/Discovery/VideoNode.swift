import CaptureSystem
import Glibc

/// A video node, described by sysfs without opening it.
struct VideoNode: Hashable, Sendable {
  /// "/dev/video0"
  var path: String
  /// Its directory in /sys/devices. It changes when the camera is plugged in elsewhere, and stays the same at the same port.
  var systemPath: String
  /// The node's number among the nodes of its driver (`index`).
  var index: Int
  /// The USB device behind it, if there is one.
  var usb: USBLocation?
  /// The inode number of ``systemPath`` (`st_ino`), which changes with each replug.
  var instance: UInt64 = 0

  /// Whether the kernel still has the node.
  var isListed: Bool { access(systemPath, F_OK) == 0 }
}

/// Where a USB camera is plugged in, and which device it is.
struct USBLocation: Hashable, Sendable {
  /// The host controller: "0000:00:14.0".
  var controller: String
  /// The ports from the root hub on: "2", "1.4".
  var port: String
  /// `idVendor`: four hexadecimal digits.
  var vendor: String
  /// `idProduct`: four hexadecimal digits.
  var product: String
  /// The serial number; empty until ``readNames()``.
  var serial = ""
  /// The manufacturer's name; empty until ``readNames()``.
  var manufacturer = ""
  /// `bInterfaceNumber` of the interface that has the node.
  var interface: Int
  /// The device's directory in /sys/devices.
  var directory = ""
}

/// The folders in which nodes are found. Tests use others.
struct SystemPaths: Sendable {
  var sysfs = "/sys"
  var dev = "/dev"

  /// Every video node, in the order of the nodes' numbers. Nodes in `known` are not read again. Throws where the nodes cannot be read now.
  func videoNodes(known: Set<VideoNode> = []) throws(Errno) -> [VideoNode] {
    let known = Dictionary(known.map { ($0.instance, $0) }) { first, _ in first }
    let numbers = try names(in: "\(sysfs)/class/video4linux").compactMap { name in
      Int(name.drop { !$0.isNumber }).flatMap { name == "video\($0)" ? $0 : nil }
    }
    var nodes: [VideoNode] = []
    for number in numbers.sorted() {
      if let node = try node("video\(number)", known) { nodes.append(node) }
    }
    return nodes
  }

  private func node(_ name: String, _ known: [UInt64: VideoNode]) throws(Errno) -> VideoNode? {
    guard let directory = resolved("\(sysfs)/class/video4linux/\(name)") else { return nil }
    var status = stat()
    guard stat(directory, &status) == 0 else { return nil }
    let instance = UInt64(status.st_ino)
    if let node = known[instance], node.systemPath == directory, node.path == "\(dev)/\(name)" { return node }
    let index = try contents("\(directory)/index").flatMap { Int($0) } ?? 0
    return VideoNode(
      path: "\(dev)/\(name)", systemPath: directory, index: index, usb: try USBLocation(above: directory),
      instance: instance)
  }
}

extension USBLocation {
  /// Looks for the USB device above a node's directory: …/HCD/usb1/1-2/1-2:1.0/video4linux/video0. Throws where the device cannot be read now.
  init?(above directory: String) throws(Errno) {
    let components = directory.split(separator: "/").map(String.init)
    var deviceIndex = components.count - 1
    while deviceIndex >= 0,
      try contents("/" + components[...deviceIndex].joined(separator: "/") + "/idVendor") == nil
    {
      deviceIndex -= 1
    }
    guard deviceIndex >= 0,
      let busIndex = components[..<deviceIndex].lastIndex(where: { $0.hasPrefix("usb") }), busIndex > 0
    else { return nil }
    let device = "/" + components[...deviceIndex].joined(separator: "/")
    controller = components[busIndex - 1]
    port = String(components[deviceIndex].drop { $0 != "-" }.dropFirst())
    vendor = try contents("\(device)/idVendor") ?? ""
    product = try contents("\(device)/idProduct") ?? ""
    interface = 0
    self.directory = device
    if deviceIndex + 1 < components.count {
      let name = components[deviceIndex + 1]
      interface = try contents("\(device)/\(name)/bInterfaceNumber").flatMap { Int($0, radix: 16) } ?? 0
    }
  }

  /// Reads the serial number and the manufacturer. This may take any time: unlike other files, these two take the device's lock, which the kernel
  /// holds while it binds or unbinds a driver. Throws where they cannot be read now.
  mutating func readNames() throws(Errno) {
    serial = try contents("\(directory)/serial") ?? ""
    manufacturer = try contents("\(directory)/manufacturer") ?? ""
  }
}
