/// A piece of memory that grows to what was asked at most and is used again for every frame.
package final class Scratch {
  private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)

  package init() {}

  deinit { release() }

  /// `count` bytes at least, as the last user left them. What an earlier call gave is no longer valid where it had fewer.
  package func bytes(_ count: Int) -> UnsafeMutablePointer<UInt8> {
    if memory.count < count {
      release()
      memory = UnsafeMutableRawBufferPointer(start: PictureMemory.allocate(count), count: count)
      memory.bindMemory(to: UInt8.self)
    }
    return memory.baseAddress!.assumingMemoryBound(to: UInt8.self)
  }

  private func release() {
    if let base = memory.baseAddress { PictureMemory.free(base, count: memory.count) }
  }
}
