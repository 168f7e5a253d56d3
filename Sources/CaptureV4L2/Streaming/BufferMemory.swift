import CaptureModel

/// How much memory the driver's buffers of one camera may take. That is the kernel's memory, which no limit of this process holds.
struct BufferMemory: Hashable, Sendable {
  /// Bytes.
  var limit: Int

  static let standard = BufferMemory(limit: V4L2Provider.standardBufferLimit)

  /// Buffers asked for where memory is no question: one being filled, one waiting, and some for readers.
  static let usualCount = 6
  /// With fewer the driver would have to wait for readers.
  static let leastCount = 2

  /// Whether the least number of buffers fits, of `bytes` each.
  func holds(_ bytes: Int) -> Bool { bytes <= limit / Self.leastCount }

  /// How many buffers to ask for, of `bytes` each.
  func count(_ bytes: Int) -> Int {
    max(Self.leastCount, min(Self.usualCount, limit / max(bytes, 1)))
  }

  /// What to say to a picture whose buffers, of `bytes` each, are too much; `count` as many as the driver wants at least.
  func refusal(
    of request: StreamRequest, _ bytes: Int, count: Int = leastCount, path: String
  ) -> CaptureError {
    let fitting = request.size.area * (limit / count) / max(bytes, 1)
    return CaptureError(
      .resourceExhausted,
      "\(path): \(request.size) \(request.pixelFormat) takes \(count) buffers of \(megabytes(bytes)) MB at least, and a camera's "
        + "may take \(megabytes(limit)) MB in all: that is enough for \(megabytes(fitting)) million pixels in this format. Ask for "
        + "a smaller size, or raise limits.bufferBytesPerCamera in the node's configuration")
  }

  /// In millions, with one digit behind the point where that says more.
  private func megabytes(_ count: Int) -> String {
    let tenths = (count + 50_000) / 100_000
    return tenths % 10 == 0 || tenths >= 1000 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }
}
