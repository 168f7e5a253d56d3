import CVideo4Linux
import CaptureModel
import CaptureSystem
import Foundation
import Synchronization
import Testing

@testable import CaptureV4L2

struct DiscoveryTests {
  private func capability(
    _ flags: Int32, driver: String = "uvcvideo", bus: String = "usb-0000:00:14.0-2"
  ) -> NodeCapability {
    NodeCapability(driver: driver, card: "Camera", busInfo: bus, flags: UInt32(bitPattern: flags))
  }

  private func node(index: Int = 0, usb: USBLocation? = nil) -> VideoNode {
    VideoNode(path: "/dev/video0", systemPath: "/sys/devices/x", index: index, usb: usb)
  }

  private let plugged = USBLocation(
    controller: "0000:00:14.0", port: "1.4", vendor: "046d", product: "0825", serial: "1A 2B", interface: 0)

  @Test func tellsCamerasFromOtherNodes() {
    let streaming = V4L2_CAP_STREAMING
    #expect(capability(V4L2_CAP_VIDEO_CAPTURE | streaming).role == .camera(.singlePlanar))
    #expect(capability(V4L2_CAP_VIDEO_CAPTURE_MPLANE | streaming).role == .camera(.multiPlanar))
    #expect(capability(V4L2_CAP_META_CAPTURE | streaming).role == .other("a metadata node"))
    #expect(capability(V4L2_CAP_VIDEO_OUTPUT | streaming).role == .other("no capture device"))
    #expect(capability(V4L2_CAP_VIDEO_M2M_MPLANE | streaming).role == .other("no capture device"))
    #expect(
      capability(V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_VIDEO_OUTPUT | streaming).role
        == .other("a codec or converter"))
    #expect(
      capability(V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_VIDEO_OUTPUT | streaming, driver: "v4l2 loopback").role
        == .camera(.singlePlanar))
  }

  @Test(arguments: [("unicam", V4L2_CAP_IO_MC), ("rp1-cfe", 0), ("something-new", V4L2_CAP_IO_MC)])
  func aSensorNodeIsListedWithItsReason(driver: String, flag: Int32) {
    let role = capability(V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING | flag, driver: driver).role
    guard case .unusable(.singlePlanar, let reason) = role else {
      Issue.record("\(role)")
      return
    }
    #expect(reason.contains("only libcamera"))
    #expect(reason.contains(driver))
  }

  @Test func anImageProcessorIsNoCamera() {
    let role = capability(V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING, driver: "bcm2835-isp").role
    #expect(role == .other("an image processor"))
  }

  /// Makes a USB camera in a folder like /sys. Returns the device's directory.
  private func plug(_ port: String, as name: String, in top: String) throws -> String {
    let device = top + "/devices/0000:00:14.0/usb1/\(port)"
    let node = device + "/\(port):1.0/video4linux/\(name)"
    for folder in [node, top + "/class/video4linux"] {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
    try FileManager.default.createSymbolicLink(
      atPath: top + "/class/video4linux/\(name)", withDestinationPath: node)
    for (name, text) in [
      ("idVendor", "046d"), ("idProduct", "0825"), ("serial", "1A"), ("manufacturer", "Maker"),
    ] {
      try (text + "\n").write(toFile: "\(device)/\(name)", atomically: true, encoding: .utf8)
    }
    return device
  }

  @Test func aUSBCamerasMakerAndNumberAreRead() throws {
    let top = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: top) }
    _ = try plug("1-2", as: "video0", in: top)
    var usb = try #require(try SystemPaths(sysfs: top).videoNodes().first?.usb)
    try usb.readNames()
    #expect(usb.vendor == "046d" && usb.serial == "1A" && usb.manufacturer == "Maker")
  }

  /// The kernel holds a device's lock while it binds its driver, and who reads the serial number waits for that. Here that is a FIFO without a writer.
  @Test func aCameraWhoseNamesCannotBeReadYetDelaysNoOther() async throws {
    let top = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: top) }
    let serial = try plug("1-2", as: "video0", in: top) + "/serial"
    _ = try plug("1-3", as: "video1", in: top)
    try FileManager.default.removeItem(atPath: serial)
    #expect(mkfifo(serial, 0o600) == 0)
    let letGo = { @Sendable in
      guard let file = try? OwnedDescriptor(path: serial, flags: O_RDWR | O_NONBLOCK) else { return }
      // It is tried again, and then has none.
      unlink(serial)
      _ = write(file.raw, "1A\n", 3)
    }
    let end = Task {
      try await Task.sleep(for: .seconds(20))
      letGo()
    }
    var system = VideoSystem.live
    system.open = { _ throws(Errno) in throw Errno(rawValue: EACCES) }
    let provider = V4L2Provider(
      selection: .all, paths: SystemPaths(sysfs: top, dev: top), system: system, patience: 3_000_000_000)
    let began = ContinuousClock.now
    await provider.start { _ in }
    #expect(ContinuousClock.now - began < .seconds(15))
    let missing = provider.missing
    #expect(missing.contains { $0.contains("video0 does not answer") }, "\(missing)")
    #expect(missing.contains { $0.contains("video1: no permission") }, "\(missing)")
    end.cancel()
    letGo()
    for _ in 0..<500 where !provider.missing.contains(where: { $0.contains("video0: no permission") }) {
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(provider.missing.contains { $0.contains("video0: no permission") }, "\(provider.missing)")
    await provider.stop()
  }

  /// A user outside the group "video", who asked for all cameras there are.
  @Test func aCameraThatMayNotBeOpenedIsTold() async throws {
    let sysfs = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try FileManager.default.createDirectory(
      atPath: sysfs + "/class/video4linux/video3", withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: sysfs) }
    var system = VideoSystem.live
    system.open = { _ throws(Errno) in throw Errno(rawValue: EACCES) }
    let provider = V4L2Provider(
      selection: .all, paths: SystemPaths(sysfs: sysfs, dev: sysfs), system: system, patience: 60_000_000_000)
    await provider.start { _ in }
    let missing = provider.missing
    #expect(missing.count == 1)
    #expect(missing.first?.contains("video3: no permission") == true, "\(missing)")
    await provider.stop()
  }

  /// As in a container, which sees the machine's /sys.
  @Test func aCameraThatDevHasNeverHadIsNotCalledUnplugged() async throws {
    let top = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: top) }
    let (node, dev) = (top + "/class/video4linux/video3", top + "/dev")
    for folder in [node, dev] {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
    let isRefused = Mutex(false)
    var system = VideoSystem.live
    system.open = { _ throws(Errno) in throw Errno(rawValue: isRefused.withLock { $0 } ? EACCES : ENOENT) }
    func started(_ selection: CameraSelection) async -> V4L2Provider {
      let provider = V4L2Provider(
        selection: selection, paths: SystemPaths(sysfs: top, dev: dev), system: system,
        patience: 60_000_000_000)
      await provider.start { _ in }
      return provider
    }
    let text =
      "\(dev)/video3 does not exist, though the kernel has the camera: a container has to be given the device, as by 'docker run --device \(dev)/video3'"
    let named = await started(.only(["\(dev)/video3", "usb-1"]))
    #expect(
      named.missing == [
        text, "no camera is 'usb-1' now; it is served when it appears; there are none; \(text)",
      ])
    await named.stop()
    let provider = await started(.all)
    #expect(provider.missing == [text])
    // It appears, and somebody removes it.
    for (refused, told) in [
      (true, "video3: no permission"), (false, "video3 is gone: it was unplugged"),
    ] {
      isRefused.withLock { $0 = refused }
      for _ in 0..<500 where !provider.missing.contains(where: { $0.contains(told) }) {
        try await Task.sleep(for: .milliseconds(10))
      }
      #expect(provider.missing.count == 1 && provider.missing[0].contains(told), "\(provider.missing)")
    }
    await provider.stop()
  }

  @Test func aUSBCameraIsWhereItIsPluggedInAndWhichItIs() {
    let capture = capability(V4L2_CAP_VIDEO_CAPTURE)
    #expect(CameraID(node(usb: plugged), capture).rawValue == "usb-0000:00:14.0-1.4-046d_0825_1A_2B")
    var second = plugged
    second.interface = 2
    #expect(CameraID(node(usb: second), capture).rawValue == "usb-0000:00:14.0-1.4-046d_0825_1A_2B-if2")
    #expect(
      CameraID(node(index: 2, usb: plugged), capture).rawValue == "usb-0000:00:14.0-1.4-046d_0825_1A_2B-node2"
    )
  }

  @Test func whatCannotBeReadNowIsNotGone() throws {
    let sysfs = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    let node = sysfs + "/class/video4linux/video3"
    try FileManager.default.createDirectory(atPath: node, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: sysfs) }
    let paths = SystemPaths(sysfs: sysfs)
    #expect(try paths.videoNodes().map(\.path) == ["/dev/video3"])
    // A file that is there and cannot be opened, as when no descriptor is left.
    try FileManager.default.createSymbolicLink(atPath: node + "/index", withDestinationPath: "index")
    #expect(throws: Errno.self) { try paths.videoNodes() }
    #expect(try SystemPaths(sysfs: sysfs + "/none").videoNodes().isEmpty)
  }

  @Test func anotherCameraIsItsBusInfo() {
    let vivid = capability(V4L2_CAP_VIDEO_CAPTURE, driver: "vivid", bus: "platform:vivid-001")
    #expect(
      CameraID(node(index: 1), vivid).rawValue == "platform-vivid-001", "index counts over both instances")
    let grabber = capability(V4L2_CAP_VIDEO_CAPTURE, driver: "cx", bus: "PCI:0000:01:00.0")
    #expect(CameraID(node(index: 1), grabber).rawValue == "PCI-0000:01:00.0-node1")
  }

  @Test(arguments: [
    ("White Balance, Automatic", "white_balance_automatic"), ("U16 8x16 Matrix", "u16_8x16_matrix"),
    ("  (Odd) name!", "odd_name"), ("Menu", "menu"),
  ])
  func namesControlsAsV4L2CtlDoes(label: String, name: String) {
    #expect(word(from: label) == name)
  }
}
