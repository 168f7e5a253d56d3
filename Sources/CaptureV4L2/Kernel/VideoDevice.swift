import CCaptureShims
import CVideo4Linux
import CaptureSystem
import Glibc

/// An open video node: its descriptor's only owner. Extensions hold one thin function per ioctl.
struct VideoDevice: ~Copyable, Sendable {
  /// Valid as long as this value lives.
  let descriptor: Int32
  private(set) var system: VideoSystem

  init(path: String, system: VideoSystem) throws(Errno) {
    self.system = system
    descriptor = try Self.checked { () throws(Errno) in try system.open(path) }
  }

  deinit { system.close(descriptor) }

  /// From here on it is used on `thread` only.
  mutating func move(to thread: DeviceThread) { system = system.called(on: thread) }

  /// Makes an ioctl whose argument the driver reads and writes.
  func call<T>(_ request: UInt, _ argument: inout T) throws(Errno) {
    // A closure over an inout argument cannot be generic over its error, so the failure leaves as a value.
    let failure = withUnsafeMutablePointer(to: &argument) { pointer -> Errno? in
      do throws(Errno) {
        try Self.checked { () throws(Errno) in try system.ioctl(descriptor, request, pointer) }
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }

  /// Calls until it is not interrupted. EBADF and EFAULT are bugs of this program.
  private static func checked<R>(_ body: () throws(Errno) -> R) throws(Errno) -> R {
    do throws(Errno) {
      return try retrying(body)
    } catch {
      precondition(error.rawValue != EBADF && error.rawValue != EFAULT, "system call misused: \(error)")
      throw error
    }
  }

  /// What the node is and can do. Corresponds to `VIDIOC_QUERYCAP`.
  func capability() throws(Errno) -> NodeCapability {
    var native = v4l2_capability()
    try call(capture_VIDIOC_QUERYCAP, &native)
    return NodeCapability(native)
  }

  /// What is pending without waiting, with POLLERR and POLLHUP. Never asks for POLLIN: on a node that does not stream that
  /// starts read() I/O.
  func pendingConditions() throws(Errno) -> Int16 {
    try Self.checked { () throws(Errno) in try system.poll(descriptor, Int16(POLLPRI)) }
  }
}

/// `v4l2_capability`, with the capabilities of this node, not those of the whole device.
struct NodeCapability: Hashable, Sendable {
  var driver: String
  var card: String
  var busInfo: String
  var flags: UInt32

  func has(_ flag: Int32) -> Bool { flags & UInt32(bitPattern: flag) != 0 }
}

extension NodeCapability {
  init(_ native: v4l2_capability) {
    driver = text(native.driver)
    card = text(native.card)
    busInfo = text(native.bus_info)
    let perNode = native.capabilities & UInt32(V4L2_CAP_DEVICE_CAPS) != 0
    flags = perNode ? native.device_caps : native.capabilities
  }
}

/// The text in a C array of characters that may lack its terminator.
func text<Characters>(_ characters: Characters) -> String {
  withUnsafeBytes(of: characters) { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
}
