import CVideo4Linux
import CaptureLoop
import CaptureModel
import CaptureSystem
import Glibc

/// One run of a stream, from opening the node to closing it: its descriptor, format and buffers. Confined to the capture thread.
final class StreamRun {
  let format: StreamFormat
  let buffers: [MappedBuffer]
  /// How many of `buffers` readers hold.
  var lent = 0
  private let device: VideoDevice
  private let type: BufferType
  private let planes: Int
  private let thread: DeviceThread

  /// Opens the node, configures it and starts the stream. It undoes everything when a step fails.
  init(
    path: String, _ type: BufferType, _ request: StreamRequest, system: VideoSystem,
    memory: BufferMemory = .standard, on thread: DeviceThread
  ) throws(CaptureError) {
    let failure = DeviceFailure(path: path)
    let device = try VideoDevice.open(path, system, failure)
    let descriptor = device.descriptor
    try failure.wrap("opening it") { () throws(Errno) in try DescriptorReserve.streams.check(descriptor) }
    let (format, bytes) = try device.negotiate(request, type, memory, path: path)
    let count = try failure.wrap("requesting buffers") { () throws(Errno) in
      try device.requestBuffers(memory.count(bytes), type)
    }
    // Some drivers make more buffers than were asked for.
    guard count <= BufferMemory.leastCount || count * bytes <= memory.limit else {
      _ = try? device.requestBuffers(0, type)
      throw memory.refusal(of: request, bytes, count: count, path: path)
    }
    let buffers = try failure.wrap("requesting buffers") { () throws(Errno) in
      try device.mapBuffers(count, type, on: thread)
    }
    let planes = buffers[0].planes.count
    try failure.wrap("queueing buffers") { () throws(Errno) in
      for buffer in buffers { try device.queue(buffer.index, planes: planes, type) }
    }
    do throws(Errno) {
      try device.streamOn(type)
    } catch .noSpace {
      throw CaptureError(
        .resourceExhausted,
        "\(path): the USB bus has no bandwidth left for \(format.size) \(format.pixelFormat)"
          + (format.interval.map { " at \($0)" } ?? "")
          + "; choose MJPG, a smaller size or a lower rate, or plug the camera into another USB port",
        cause: .noSpace, .init(.noBandwidth))
    } catch {
      throw failure(error, "starting the stream")
    }
    self.format = format
    self.buffers = buffers
    self.type = type
    self.planes = planes
    self.device = device
    self.thread = thread
  }

  /// Calls `handler` on the thread again and again while a frame waits to be dequeued, or the device reports an error.
  func watchFrames(_ handler: @escaping () -> Void) {
    thread.watch(device.descriptor, Int16(POLLIN | POLLPRI)) { _ in handler() }
  }

  func dequeue() throws(Errno) -> DequeuedBuffer? { try device.dequeue(type) }

  func queue(_ buffer: MappedBuffer) throws(Errno) { try device.queue(buffer.index, planes: planes, type) }

  /// Called when the device woke the thread without a frame. Throws if the device has failed for good (POLLERR) or has gone (POLLHUP).
  func check() throws(Errno) {
    let conditions = Int32(try device.pendingConditions())
    if conditions & POLLHUP != 0 { throw .noDevice }
    if conditions & POLLERR != 0 { throw .inputOutput }
  }

  /// How many buffers the driver has.
  var queued: Int { buffers.count - lent }

  /// Whether readers hold so many buffers that the driver may have to wait for them: the driver has fewer than two, or none if there are only two in
  /// all.
  var isLow: Bool { queued < min(2, buffers.count - 1) }

  /// Stops the stream and makes the driver free its buffers. Those that readers hold stay mapped until they let go.
  func end() {
    thread.endWatch()
    try? device.streamOff(type)
    // A driver that cannot orphan mapped buffers returns EBUSY. It frees them with the last mapping.
    _ = try? device.requestBuffers(0, type)
  }
}

extension VideoDevice {
  static func open(
    _ path: String, _ system: VideoSystem, _ failure: DeviceFailure
  ) throws(CaptureError) -> VideoDevice {
    do throws(Errno) {
      return try VideoDevice(path: path, system: system)
    } catch {
      throw failure(error, "opening it")
    }
  }

  fileprivate func mapBuffers(
    _ count: Int, _ type: BufferType, on thread: DeviceThread
  ) throws(Errno) -> [MappedBuffer] {
    guard count > 0 else { throw Errno(rawValue: ENOMEM) }
    var buffers: [MappedBuffer] = []
    for index in 0..<count { buffers.append(try MappedBuffer(index, of: self, type, on: thread)) }
    return buffers
  }
}
