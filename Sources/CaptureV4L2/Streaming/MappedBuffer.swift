import CaptureSystem

/// A driver's buffer in this process's memory. Unmapped with its last reference: its stream's, or a reader's of its frame.
///
/// Unchecked: the memory is written by the driver alone, and only while no reader has it.
final class MappedBuffer: @unchecked Sendable {
  let index: Int
  /// One entry per memory plane.
  private(set) var planes: [UnsafeRawBufferPointer] = []
  private let system: VideoSystem

  init(_ index: Int, of device: borrowing VideoDevice, _ type: BufferType) throws(Errno) {
    self.index = index
    system = device.system
    for plane in try device.bufferPlanes(index, type) {
      planes.append(try device.map(offset: plane.offset, length: plane.length))
    }
  }

  deinit {
    for plane in planes { system.unmap(UnsafeMutableRawPointer(mutating: plane.baseAddress!), plane.count) }
  }

  /// The picture's bytes, one segment per plane; a driver that says more than it has is cut.
  func segments(_ contents: DequeuedBuffer.InlineContents) -> [UnsafeRawBufferPointer] {
    (0..<min(planes.count, contents.count)).map { plane in
      UnsafeRawBufferPointer(rebasing: planes[plane][contents[plane].clamped(to: 0..<planes[plane].count)])
    }
  }
}
