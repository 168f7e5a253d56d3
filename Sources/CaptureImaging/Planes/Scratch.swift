import CaptureSystem

/// A piece of memory that grows to what was asked at most and is used again for every frame.
final class Scratch {
  private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)

  deinit { release() }

  /// `count` bytes at least. What an earlier call gave is no longer valid.
  func bytes(_ count: Int) -> UnsafeMutablePointer<UInt8> {
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

  /// A plane to be filled, its rows 64-byte aligned.
  func plane(width: Int, height: Int) -> MutablePlane {
    let stride = (width + 63) & ~63
    return MutablePlane(base: bytes(stride * max(height, 1)), stride: stride, width: width, height: height)
  }
}

/// A ``Plane`` that is being filled.
struct MutablePlane {
  var base: UnsafeMutablePointer<UInt8>
  var stride: Int
  var width: Int
  var height: Int

  var plane: Plane { Plane(base: base, stride: stride, width: width, height: height) }
}
