import CV4LConvert
import CaptureModel
import CaptureSystem
import Glibc

/// Runs libv4lconvert on frames in the process's own memory. The library never touches a device: it has no file descriptor, and functions of this
/// type answer its system calls. So the library finds no controls either: it neither flips nor processes pictures, and makes no shared memory for
/// controls.
final class LibraryConverter {
  private let data: OpaquePointer
  private let source = Scratch()

  /// Throws `resourceExhausted` where memory is short.
  init() throws(CaptureError) {
    guard let data = v4lconvert_create_with_dev_ops(-1, nil, Self.operations) else {
      throw CaptureError(.resourceExhausted, "libv4lconvert has no memory")
    }
    self.data = data
  }

  deinit { v4lconvert_destroy(data) }

  /// Converts the frame to its plain format, in `target`. Throws `dataLoss` for a short frame and for one that the library finds damaged, and
  /// `unimplemented` for a size that it does not accept.
  func convert(_ frame: Frame, _ format: LibraryFormat, in target: Scratch) throws(CaptureError) -> Frame {
    let size = frame.format.size
    guard Self.sides.contains(size.width), Self.sides.contains(size.height), size.width % 2 == 0,
      size.height % 2 == 0
    else {
      throw CaptureError(
        .unimplemented,
        "libv4lconvert does not convert \(frame.format.pixelFormat) frames of \(size): it takes even sizes from "
          + "\(Self.sides.lowerBound) to \(Self.sides.upperBound)")
    }
    let library: PixelFormat = format.plain == .rgb3 ? .rgb3 : .yu12
    let count = library == .rgb3 ? size.area * 3 : size.area * 3 / 2
    let (packed, length) = pack(frame, format)
    guard length >= format.leastBytes(size) else { throw frame.incompleteError }
    let bytes = target.bytes(count + Self.slack)
    var (from, to) = (v4l2_format(size, frame.format.pixelFormat), v4l2_format(size, library))
    v4lconvert_fixup_fmt(&to)
    let written = v4lconvert_convert(data, &from, &to, packed, Int32(length), bytes, Int32(count))
    guard written >= 0 else {
      let reason = String(cString: v4lconvert_get_error_message(data)).trimmed
      throw CaptureError(.dataLoss, "damaged \(frame.format.pixelFormat) frame: \(reason)")
    }
    let stride = library == .rgb3 ? size.width * 3 : size.width
    return target.frame(
      frame, format.plain, stride: stride, count: format.plain == .grey ? size.area : count,
      isFullRange: format.isFullRange ? true : nil)
  }

  /// The widths and heights of pictures that the library accepts.
  private static let sides = 16...8192
  /// The spare bytes behind a decoder's input and output: the library's decoders write and read in blocks, and most do not check where their input
  /// ends.
  private static let slack = 1 << 16

  /// Copies the frame's planes into one buffer, with rows without padding, and returns the copy and its length. Zeros follow the copy, for a decoder
  /// that reads too far: a decoder writes a picture of known size, and reads at most four bytes for each pixel of it.
  private func pack(_ frame: Frame, _ format: LibraryFormat) -> (UnsafeMutablePointer<UInt8>, count: Int) {
    let room = max(frame.payload.count, frame.format.size.area * 4) + Self.slack
    let base = source.bytes(room)
    var count = 0
    for segment in frame.payload.segments where !segment.isEmpty {
      memcpy(base + count, segment.baseAddress!, segment.count)
      count += segment.count
    }
    if format.hasRows, let stride = frame.format.planes.first?.stride {
      let rows = format.rows(frame.format.size)
      if stride > rows.bytes, count >= stride * (rows.count - 1) + rows.bytes {
        for row in 1..<rows.count { memmove(base + row * rows.bytes, base + row * stride, rows.bytes) }
        count = rows.count * rows.bytes
      }
    }
    memset(base + count, 0, room - count)
    return (base, count)
  }

  /// The functions that the library calls in place of a device's system calls. They report one ordinary format: for a device without any, the library
  /// would add controls of its own.
  private nonisolated(unsafe) static let operations: UnsafePointer<libv4l_dev_ops> = {
    let operations = UnsafeMutablePointer<libv4l_dev_ops>.allocate(capacity: 1)
    operations.initialize(to: libv4l_dev_ops())
    operations.pointee.`init` = { _ in nil }
    operations.pointee.close = { _ in }
    operations.pointee.ioctl = { _, _, request, argument in
      // VIDIOC_ENUM_FMT, a macro that Swift cannot import: type 'V', number 2.
      if request & 0xFFFF == 0x5602, let entry = argument?.assumingMemoryBound(to: v4l2_fmtdesc.self),
        entry.pointee.index == 0
      {
        entry.pointee.pixelformat = PixelFormat.rgb3.rawValue
        return 0
      }
      errno = EINVAL
      return -1
    }
    operations.pointee.read = { _, _, _, _ in -1 }
    operations.pointee.write = { _, _, _, _ in -1 }
    return UnsafePointer(operations)
  }()
}

extension v4l2_format {
  /// The format of a picture without padding.
  fileprivate init(_ size: FrameSize, _ pixelFormat: PixelFormat) {
    self.init()
    type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
    fmt.pix.width = UInt32(size.width)
    fmt.pix.height = UInt32(size.height)
    fmt.pix.pixelformat = pixelFormat.rawValue
    fmt.pix.field = V4L2_FIELD_NONE.rawValue
    fmt.pix.bytesperline = UInt32(size.width)
  }
}
