import CaptureLoop
import CaptureSystem

/// A driver's buffer in this process's memory. It is unmapped once neither its stream nor the reader of a frame has it. This happens on the device's
/// thread, since the kernel may close the device with its last mapping, and a driver may take any time for that.
///
/// Unchecked: only the driver writes the memory, and only while no reader has it.
final class MappedBuffer: @unchecked Sendable {
  let index: Int
  /// One entry per memory plane.
  private(set) var planes: [UnsafeRawBufferPointer] = []
  private let system: VideoSystem
  private let thread: DeviceThread

  init(
    _ index: Int, of device: borrowing VideoDevice, _ type: BufferType, on thread: DeviceThread
  ) throws(Errno) {
    self.index = index
    self.thread = thread
    system = device.system
    for plane in try device.bufferPlanes(index, type) {
      planes.append(try device.map(offset: plane.offset, length: plane.length))
    }
  }

  deinit {
    let unmap = system.unmap
    nonisolated(unsafe) let planes = planes
    let unmapAll = { @Sendable in
      for plane in planes { unmap(UnsafeMutableRawPointer(mutating: plane.baseAddress!), plane.count) }
    }
    // The closure keeps the thread alive.
    if thread.serial.isCurrent { return unmapAll() }
    thread.serial.async { [thread] in withExtendedLifetime(thread, unmapAll) }
  }

  /// The picture's bytes, one segment for each plane. A length beyond the buffer's end is cut.
  func segments(_ contents: DequeuedBuffer.InlineContents) -> [UnsafeRawBufferPointer] {
    (0..<min(planes.count, contents.count)).map { plane in
      UnsafeRawBufferPointer(rebasing: planes[plane][contents[plane].clamped(to: 0..<planes[plane].count)])
    }
  }
}
