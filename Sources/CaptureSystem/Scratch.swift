/// Memory that grows to the largest size anyone asked for, and is used again for every frame.
package final class Scratch {
  private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)

  package init() {}

  deinit { release() }

  /// Returns at least `count` bytes, as their last user left them. If no earlier call asked for as many, the pointers of earlier calls are no longer
  /// valid.
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
