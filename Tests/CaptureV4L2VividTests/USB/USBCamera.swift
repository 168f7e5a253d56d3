import CaptureModel
import CaptureV4L2
import Foundation
import Glibc
import Testing

/// The webcam in user space of docs/testing-usb-camera.md, plugged into this machine, and its control socket.
final class USBCamera: Sendable {
  static let id = CameraID(rawValue: "usb-vhci_hcd.0-1-1209_0c4a_CAM0001")
  /// The addresses of USB/IP and of the control socket, where there is a camera.
  static let addresses = ProcessInfo.processInfo.environment["CAPTURE_USB_CAMERA"]?.split(separator: " ").map(
    String.init)
  static let directory = "Tests/Support/usb-camera"

  private let control: Int32
  /// It plugs the camera in again after every unplugging, until this process ends.
  private let cable = Process()

  private init() throws {
    let addresses = try #require(Self.addresses)
    control = try Self.connect(to: addresses[1])
    cable.executableURL = URL(fileURLWithPath: "\(Self.directory)/attach")
    cable.arguments = [addresses[0]]
    cable.standardOutput = FileHandle.nullDevice
    try cable.run()
  }

  /// All tests share it: there is one, and the machine ends after them.
  private static let shared = Result { try USBCamera() }

  /// Runs `body` with the camera as it left the factory, and with what the provider makes of it.
  static func with(_ body: (USBCamera, Cameras) async throws -> Void) async throws {
    let usb = try shared.get()
    try usb("reset")
    let cameras = await Cameras()
    do {
      try await wait(.seconds(20), for: "the USB camera") { cameras[id] != nil }
      try await body(usb, cameras)
    } catch {
      await cameras.provider.stop()
      throw error
    }
    await cameras.provider.stop()
  }

  /// Sends a command; returns its answer.
  @discardableResult
  func callAsFunction(_ command: String) throws -> String {
    let line = Array("\(command)\n".utf8)
    guard write(control, line, line.count) == line.count else {
      throw Failure(description: "not sent: \(command)")
    }
    var answer: [UInt8] = []
    var byte: UInt8 = 0
    while read(control, &byte, 1) == 1, byte != UInt8(ascii: "\n") { answer.append(byte) }
    let text = String(decoding: answer, as: UTF8.self)
    guard text.hasPrefix("ok") else { throw Failure(description: "\(command): \(text)") }
    return String(text.dropFirst(3))
  }

  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  private static func connect(to address: String) throws -> Int32 {
    let parts = address.split(separator: ":")
    var native = sockaddr_in()
    native.sin_family = sa_family_t(AF_INET)
    native.sin_port = UInt16(parts[1])!.bigEndian
    inet_pton(AF_INET, String(parts[0]), &native.sin_addr)
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    let outcome = withUnsafePointer(to: &native) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard outcome == 0 else { throw Failure(description: "no camera at \(address)") }
    return descriptor
  }
}

extension Recorder.Record {
  /// What the camera's own checker says of the kept frames: a number each, or "damaged".
  func verdicts() throws -> [String] {
    let path = "/tmp/frames-\(UUID().uuidString)"
    defer { unlink(path) }
    var bytes = Data()
    for frame in kept {
      for segment in frame.payload.segments { bytes.append(contentsOf: segment) }
    }
    try bytes.write(to: URL(fileURLWithPath: path))
    return try run("\(USBCamera.directory)/frames", path).split(whereSeparator: \.isWhitespace).map(
      String.init)
  }
}
