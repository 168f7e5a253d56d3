import CCaptureShims
import CVideo4Linux
import CaptureLoop
import CaptureSystem
import Glibc

/// An open video node, the only owner of its descriptor. Extensions have one thin function for each ioctl.
struct VideoDevice: ~Copyable, Sendable {
  /// Valid as long as this value lives.
  let descriptor: Int32
  private(set) var system: VideoSystem

  /// Opens a node, for which its driver may take any time. Throws `EMFILE` where the descriptor would be inside the streams' reserve.
  init(path: String, system: VideoSystem) throws(Errno) {
    self.system = system
    descriptor = try DescriptorReserve.streams.taking { () throws(Errno) -> Int32 in
      try Self.checked { () throws(Errno) in try system.open(path) }
    }
  }

  deinit { system.close(descriptor) }

  /// Makes all further calls on `thread`. From now on the device may be used only there.
  mutating func move(to thread: DeviceThread) { system = system.called(on: thread) }

  /// Makes an ioctl whose argument the driver reads and writes.
  func call<T>(_ request: UInt, _ argument: inout T) throws(Errno) {
    // A closure over an inout argument cannot be generic over its error, so the failure is returned as a value.
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

  /// Repeats a call until no signal interrupts it. EBADF and EFAULT are bugs of this program.
  private static func checked<R>(_ body: () throws(Errno) -> R) throws(Errno) -> R {
    do throws(Errno) {
      return try retrying(body)
    } catch {
      precondition(error.rawValue != EBADF && error.rawValue != EFAULT, "system call misused: \(error)")
      throw error
    }
  }

  /// The kind and the capabilities of the node. Corresponds to `VIDIOC_QUERYCAP`.
  func capability() throws(Errno) -> NodeCapability {
    var native = v4l2_capability()
    try call(capture_VIDIOC_QUERYCAP, &native)
    return NodeCapability(native)
  }

  /// Returns which of POLLPRI, POLLERR and POLLHUP are pending, without waiting. It never asks for POLLIN, which starts read() I/O on a node that
  /// does not stream.
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

/// The text in a C array of characters, which may lack its terminator.
func text<Characters>(_ characters: Characters) -> String {
  withUnsafeBytes(of: characters) { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
}
