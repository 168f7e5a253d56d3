import CCaptureShims
import CVideo4Linux
import CaptureSystem

extension VideoDevice {
  /// Asks for `count` buffers to map; 0 frees them all. Returns how many the driver made. Corresponds to `VIDIOC_REQBUFS`.
  func requestBuffers(_ count: Int, _ type: BufferType) throws(Errno) -> Int {
    var native = v4l2_requestbuffers()
    native.count = UInt32(count)
    native.type = type.rawValue
    native.memory = V4L2_MEMORY_MMAP.rawValue
    try call(capture_VIDIOC_REQBUFS, &native)
    return Int(native.count)
  }

  /// Where each plane of a buffer can be mapped: its offset and length in bytes. Corresponds to `VIDIOC_QUERYBUF`.
  func bufferPlanes(_ index: Int, _ type: BufferType) throws(Errno) -> [(offset: Int, length: Int)] {
    try withBuffer(index, type, capture_VIDIOC_QUERYBUF) { native, planes in
      switch type {
      case .singlePlanar: [(Int(native.m.offset), Int(native.length))]
      case .multiPlanar: planes.prefix(Int(native.length)).map { (Int($0.m.mem_offset), Int($0.length)) }
      }
    }
  }

  /// Maps a plane of a buffer. Corresponds to `mmap(2)`.
  func map(offset: Int, length: Int) throws(Errno) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: try system.map(descriptor, length, offset), count: length)
  }

  /// Gives a buffer to the driver. Corresponds to `VIDIOC_QBUF`.
  func queue(_ index: Int, planes: Int, _ type: BufferType) throws(Errno) {
    try withBuffer(index, type, capture_VIDIOC_QBUF, planes: planes) { _, _ in }
  }

  /// Takes a filled buffer from the driver; `nil` when there is none yet. Corresponds to `VIDIOC_DQBUF`.
  func dequeue(_ type: BufferType) throws(Errno) -> DequeuedBuffer? {
    do throws(Errno) {
      return try withBuffer(0, type, capture_VIDIOC_DQBUF, DequeuedBuffer.init)
    } catch .again {
      return nil
    }
  }

  /// Starts the stream. Corresponds to `VIDIOC_STREAMON`.
  func streamOn(_ type: BufferType) throws(Errno) {
    var native = type.rawValue
    try call(capture_VIDIOC_STREAMON, &native)
  }

  /// Stops the stream. The driver then has no buffers. Corresponds to `VIDIOC_STREAMOFF`.
  func streamOff(_ type: BufferType) throws(Errno) {
    var native = type.rawValue
    try call(capture_VIDIOC_STREAMOFF, &native)
  }

  /// Makes an ioctl on a `v4l2_buffer`, with room for its planes where the type has them.
  private func withBuffer<R>(
    _ index: Int, _ type: BufferType, _ request: UInt, planes count: Int = Int(VIDEO_MAX_PLANES),
    _ read: (v4l2_buffer, UnsafeMutableBufferPointer<v4l2_plane>) -> R
  ) throws(Errno) -> R {
    let result = withUnsafeTemporaryAllocation(of: v4l2_plane.self, capacity: Int(VIDEO_MAX_PLANES)) {
      planes -> Result<R, Errno> in
      planes.initialize(repeating: v4l2_plane())
      var native = v4l2_buffer()
      native.index = UInt32(index)
      native.type = type.rawValue
      native.memory = V4L2_MEMORY_MMAP.rawValue
      if type == .multiPlanar {
        native.m.planes = planes.baseAddress
        native.length = UInt32(count)
      }
      do throws(Errno) {
        try call(request, &native)
        return .success(read(native, planes))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}

/// A buffer as `VIDIOC_DQBUF` gave it.
struct DequeuedBuffer: Sendable {
  var index: Int
  /// `V4L2_BUF_FLAG_*`
  var flags: UInt32
  var sequence: UInt32
  /// Nanoseconds on the clock that `flags` names; 0 where the driver reports a negative time.
  var timestamp: UInt64
  /// The picture's bytes in each plane.
  var contents: InlineContents

  /// One range of bytes for each plane, without an allocation for each frame.
  struct InlineContents: Sendable {
    private(set) var count = 0
    private var ranges: InlineArray<8, Range<Int>> = .init(repeating: 0..<0)

    mutating func append(_ range: Range<Int>) {
      ranges[count] = range
      count += 1
    }

    subscript(plane: Int) -> Range<Int> { ranges[plane] }
  }

  /// `V4L2_BUF_FLAG_ERROR`: the picture is broken, but the stream goes on.
  var isFlagged: Bool { flags & UInt32(V4L2_BUF_FLAG_ERROR) != 0 }
}

extension DequeuedBuffer {
  /// The latest time that is not taken for a negative one, in nanoseconds: a negative time, as an unsigned number, is larger. 2^62 ns can be added to
  /// this without an overflow.
  private static let latest: UInt64 = .max - (1 << 62)

  init(_ native: v4l2_buffer, _ planes: UnsafeMutableBufferPointer<v4l2_plane>) {
    index = Int(native.index)
    flags = native.flags
    sequence = native.sequence
    let nanoseconds =
      UInt64(bitPattern: Int64(native.timestamp.tv_sec)) &* 1_000_000_000
      &+ UInt64(bitPattern: Int64(native.timestamp.tv_usec)) &* 1000
    timestamp = nanoseconds <= Self.latest ? nanoseconds : 0
    contents = InlineContents()
    if native.type == BufferType.singlePlanar.rawValue {
      contents.append(0..<Int(native.bytesused))
    } else {
      for plane in planes.prefix(min(Int(native.length), planes.count)) {
        let start = Int(plane.data_offset)
        contents.append(start..<max(start, Int(plane.bytesused)))
      }
    }
  }
}
