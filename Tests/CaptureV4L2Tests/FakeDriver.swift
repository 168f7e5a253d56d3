import CCaptureShims
import CVideo4Linux
import CaptureLoop
import CaptureModel
import CaptureSystem
import Glibc
import Synchronization

@testable import CaptureV4L2

/// A V4L2 driver behind the system call seam: does what a test says that a driver does. Its descriptors are pipes, so that readiness is real.
final class FakeDriver: Sendable {
  struct State {
    /// Errors that the next calls of an ioctl end with, in order.
    var failures: [UInt: [Errno]] = [:]
    /// Errors that depend on what is asked.
    var refusals: [UInt: @Sendable (UnsafeMutableRawPointer) -> Errno?] = [:]
    /// What is called instead of doing the default.
    var answers: [UInt: @Sendable (UnsafeMutableRawPointer) -> Void] = [:]
    /// Called before an ioctl is done, on the caller's thread; may block.
    var delays: [UInt: @Sendable () -> Void] = [:]
    var calls: [UInt] = []
    var isGone = false
    /// Read ends that are open, with their write ends.
    var descriptors: [Int32: Int32] = [:]
    var mappings = 0
    var format = FakeDriver.format(.yuyv, FrameSize(width: 640, height: 480))
    var interval = FrameInterval(numerator: 1, denominator: 30)!
    var capability = v4l2_capability()
    /// Buffers at the driver, and filled ones.
    var queued: [UInt32] = []
    var done: [v4l2_buffer] = []
    var streaming: Int32?
  }
  private let state = Mutex(State())

  static let bytes = 640 * 480 * 2

  init(card: String = "Fake") {
    state.withLock { state in
      Self.write("fake", &state.capability.driver)
      Self.write(card, &state.capability.card)
      Self.write("platform:fake-000", &state.capability.bus_info)
      state.capability.capabilities = UInt32(V4L2_CAP_DEVICE_CAPS)
      state.capability.device_caps = UInt32(V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING)
    }
  }

  func with<R>(_ body: (inout sending State) -> sending R) -> sending R { state.withLock(body) }

  func fail(_ request: UInt, _ errors: Errno...) {
    with { $0.failures[request, default: []] += errors }
  }

  func calls(of request: UInt) -> Int { with { state in state.calls.count { $0 == request } } }

  /// Nothing is open or mapped.
  var isReleased: Bool { with { $0.descriptors.isEmpty && $0.mappings == 0 } }

  /// Fills the oldest queued buffer. `time`: its timestamp, in seconds.
  func deliver(_ sequence: UInt32, time: Int = 0, flags: Int32 = 0) {
    with { state in
      guard !state.queued.isEmpty, let streaming = state.streaming else { return }
      var buffer = v4l2_buffer()
      buffer.index = state.queued.removeFirst()
      buffer.type = BufferType.singlePlanar.rawValue
      buffer.sequence = sequence
      buffer.timestamp.tv_sec = time
      buffer.bytesused = UInt32(Self.bytes)
      buffer.flags = UInt32(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC | flags)
      state.done.append(buffer)
      Self.signal(state.descriptors[streaming])
    }
  }

  /// Wakes whoever waits for the stream, with nothing to take.
  func wake() { with { state in Self.signal(state.streaming.flatMap { state.descriptors[$0] }) } }

  var system: VideoSystem {
    VideoSystem(
      open: { [self] _ throws(Errno) in try open() },
      close: { [self] in close($0) },
      ioctl: { [self] descriptor, request, argument throws(Errno) in try ioctl(descriptor, request, argument)
      },
      map: { [self] _, length, _ throws(Errno) in
        with { $0.mappings += 1 }
        return .allocate(byteCount: length, alignment: 4096)
      },
      unmap: { [self] address, _ in
        with { $0.mappings -= 1 }
        address.deallocate()
      },
      poll: { [self] _, _ throws(Errno) in with { $0.isGone ? Int16(POLLHUP | POLLERR) : 0 } })
  }

  private func open() throws(Errno) -> Int32 {
    guard !with({ $0.isGone }) else { throw .noDevice }
    var ends: [Int32] = [0, 0]
    precondition(pipe(&ends) == 0)
    for end in ends { _ = capture_fcntl(end, F_SETFL, O_NONBLOCK) }
    with { [ends] in $0.descriptors[ends[0]] = ends[1] }
    return ends[0]
  }

  private func close(_ descriptor: Int32) {
    let other = with { state in
      if state.streaming == descriptor { state.streaming = nil }
      return state.descriptors.removeValue(forKey: descriptor)
    }
    Glibc.close(descriptor)
    if let other { Glibc.close(other) }
  }

  private func ioctl(_ descriptor: Int32, _ request: UInt, _ argument: UnsafeMutableRawPointer) throws(Errno)
  {
    nonisolated(unsafe) let argument = argument
    with { $0.delays[request] }?()
    let failure = with { state -> Errno? in
      state.calls.append(request)
      if state.isGone { return .noDevice }
      if let error = state.failures[request]?.first {
        state.failures[request]?.removeFirst()
        return error
      }
      if let error = state.refusals[request]?(argument) { return error }
      if let answer = state.answers[request] {
        answer(argument)
        return nil
      }
      return Self.answer(descriptor, request, argument, &state)
    }
    if let failure { throw failure }
  }

  static func format(_ pixelFormat: PixelFormat, _ size: FrameSize) -> v4l2_format {
    var format = v4l2_format()
    format.type = BufferType.singlePlanar.rawValue
    format.pixelFormat = pixelFormat
    format.size = size
    format.fmt.pix.bytesperline = UInt32(size.width * 2)
    format.fmt.pix.sizeimage = UInt32(size.area * 2)
    return format
  }

  static func write<T>(_ text: String, _ characters: inout T) {
    withUnsafeMutableBytes(of: &characters) { $0.copyBytes(from: text.utf8.prefix($0.count)) }
  }

  private static func signal(_ end: Int32?) {
    guard let end else { return }
    var byte: UInt8 = 1
    _ = Glibc.write(end, &byte, 1)
  }
}

extension V4L2Camera {
  /// A camera of a driver. `unplugged` is called once it has gone and is closed.
  convenience init(
    _ description: CameraDescription, _ system: VideoSystem, timing: StreamTiming = .standard,
    memory: BufferMemory = .standard, unplugged: @escaping @Sendable () -> Void = {}
  ) throws {
    let thread = try DeviceThread(label: "control fake")
    var device = try VideoDevice(path: description.path, system: system)
    device.move(to: thread)
    let end = CameraEnd()
    let control = ControlPort(
      device, path: description.path, type: .singlePlanar, memory: memory, on: thread, end: end)
    try self.init(description, control, end: end, system: system, timing: timing, memory: memory)
    end.onReached { [self] in
      Task {
        await close()
        unplugged()
      }
    }
  }
}

extension FakeDriver {
  /// The default: YUYV at 640x480, 30 or 15 frames a second, nothing else.
  fileprivate static func answer(
    _ descriptor: Int32, _ request: UInt, _ argument: UnsafeMutableRawPointer, _ state: inout State
  ) -> Errno? {
    switch request {
    case capture_VIDIOC_QUERYCAP:
      argument.assumingMemoryBound(to: v4l2_capability.self).pointee = state.capability
    case capture_VIDIOC_ENUM_FMT:
      let entry = argument.assumingMemoryBound(to: v4l2_fmtdesc.self)
      guard entry.pointee.index == 0 else { return .invalid }
      entry.pointee.pixelformat = PixelFormat.yuyv.rawValue
    case capture_VIDIOC_ENUM_FRAMESIZES:
      let entry = argument.assumingMemoryBound(to: v4l2_frmsizeenum.self)
      guard entry.pointee.index == 0 else { return .invalid }
      entry.pointee.type = V4L2_FRMSIZE_TYPE_DISCRETE.rawValue
      entry.pointee.discrete = v4l2_frmsize_discrete(width: 640, height: 480)
    case capture_VIDIOC_ENUM_FRAMEINTERVALS:
      let entry = argument.assumingMemoryBound(to: v4l2_frmivalenum.self)
      guard entry.pointee.index < 2 else { return .invalid }
      entry.pointee.type = V4L2_FRMIVAL_TYPE_DISCRETE.rawValue
      entry.pointee.discrete = v4l2_fract(numerator: 1, denominator: entry.pointee.index == 0 ? 15 : 30)
    case capture_VIDIOC_G_FMT:
      argument.assumingMemoryBound(to: v4l2_format.self).pointee = state.format
    case capture_VIDIOC_TRY_FMT, capture_VIDIOC_S_FMT:
      argument.assumingMemoryBound(to: v4l2_format.self).pointee = format(
        .yuyv, FrameSize(width: 640, height: 480))
    case capture_VIDIOC_G_PARM, capture_VIDIOC_S_PARM:
      let entry = argument.assumingMemoryBound(to: v4l2_streamparm.self)
      if request == capture_VIDIOC_S_PARM, let set = FrameInterval(entry.pointee.parm.capture.timeperframe) {
        state.interval = set
      }
      entry.pointee.parm.capture.capability = UInt32(V4L2_CAP_TIMEPERFRAME)
      entry.pointee.parm.capture.timeperframe = v4l2_fract(
        numerator: state.interval.numerator, denominator: state.interval.denominator)
    case capture_VIDIOC_REQBUFS: break
    case capture_VIDIOC_QUERYBUF:
      argument.assumingMemoryBound(to: v4l2_buffer.self).pointee.length = UInt32(bytes)
    case capture_VIDIOC_QBUF:
      state.queued.append(argument.assumingMemoryBound(to: v4l2_buffer.self).pointee.index)
    case capture_VIDIOC_DQBUF:
      var drained: UInt8 = 0
      _ = read(descriptor, &drained, 1)
      guard !state.done.isEmpty else { return .again }
      argument.assumingMemoryBound(to: v4l2_buffer.self).pointee = state.done.removeFirst()
    case capture_VIDIOC_STREAMON:
      state.streaming = descriptor
    case capture_VIDIOC_STREAMOFF:
      (state.streaming, state.queued, state.done) = (nil, [], [])
    default: return .notTTY
    }
    return nil
  }
}
