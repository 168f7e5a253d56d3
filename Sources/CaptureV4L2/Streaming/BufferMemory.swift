import CaptureModel

/// How much memory the driver's buffers of one camera may take. It is the kernel's memory, which no limit of this process covers.
struct BufferMemory: Hashable, Sendable {
  /// Bytes.
  var limit: Int

  static let standard = BufferMemory(limit: V4L2Provider.standardBufferLimit)

  /// The number of buffers where memory is no concern: one that is being filled, one that waits, and some for readers.
  static let usualCount = 6
  /// The least number of buffers: with fewer ones the driver would have to wait for readers.
  static let leastCount = 2

  /// Whether the least number of buffers, of `bytes` each, fits.
  func holds(_ bytes: Int) -> Bool { bytes <= limit / Self.leastCount }

  /// How many buffers of `bytes` each to ask for.
  func count(_ bytes: Int) -> Int {
    max(Self.leastCount, min(Self.usualCount, limit / max(bytes, 1)))
  }

  /// The error for a picture whose buffers, of `bytes` each, take too much memory; the driver wants at least `count`.
  func refusal(
    of request: StreamRequest, _ bytes: Int, count: Int = leastCount, path: String
  ) -> CaptureError {
    let fitting = request.size.area * (limit / count) / max(bytes, 1)
    return CaptureError(
      .resourceExhausted,
      "\(path): \(request.size) \(request.pixelFormat) takes \(count) buffers of \(megabytes(bytes)) MB at least, and a camera's "
        + "may take \(megabytes(limit)) MB in all: that is enough for \(megabytes(fitting)) million pixels in this format. Ask for "
        + "a smaller size, or raise limits.bufferBytesPerCamera in the node's configuration",
      NodeLimit.bufferBytesPerCamera.details(bound: limit))
  }

  /// `count` as millions of bytes. Below 100 million it has one decimal, unless that is 0.
  private func megabytes(_ count: Int) -> String {
    let tenths = (count + 50_000) / 100_000
    return tenths % 10 == 0 || tenths >= 1000 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }
}
