import CVideo4Linux
import CaptureModel
import CaptureSystem

extension VideoDevice {
  /// Sets the format that `request` asks for. Returns what the driver made of it, and the size of a buffer in bytes. If the driver would choose
  /// another pixel format, size or rate, or if `memory` does not suffice, the error says what is possible, and the device stays as it was.
  func negotiate(
    _ request: StreamRequest, _ type: BufferType, _ memory: BufferMemory, path: String
  ) throws(CaptureError) -> (format: StreamFormat, bytes: Int) {
    let failure = DeviceFailure(path: path)
    let what = "setting \(request.size) \(request.pixelFormat)"
    let previous = try failure.wrap(what) { () throws(Errno) in try currentFormat(type) }
    let previousInterval = try? interval(type)
    var wanted = previous
    wanted.request(request.pixelFormat, request.size)
    // For an unknown pixel format some drivers return EINVAL, and others substitute another format.
    if let possible = try? tryFormat(wanted) {
      guard possible.isPicture(request) else { throw refusal(of: request, type, path) }
      guard memory.holds(possible.bytes) else {
        throw memory.refusal(of: request, possible.bytes, path: path)
      }
    }
    let chosen = try chooseInterval(request, path)

    let format: v4l2_format
    do throws(Errno) {
      format = try setFormat(wanted)
    } catch .invalid {
      throw refusal(of: request, type, path)
    } catch {
      throw failure(error, what)
    }
    guard format.isPicture(request) else {
      restore(previous, previousInterval, type)
      throw refusal(of: request, type, path)
    }
    guard memory.holds(format.bytes) else {
      restore(previous, previousInterval, type)
      throw memory.refusal(of: request, format.bytes, path: path)
    }
    do throws(CaptureError) {
      return (try stream(request, chosen, in: format, type, path), format.bytes)
    } catch {
      restore(previous, previousInterval, type)
      throw error
    }
  }

  /// Sets what a stream needs beside its format, which is set already. Returns what the driver makes of all that.
  private func stream(
    _ request: StreamRequest, _ chosen: ChosenInterval?, in format: v4l2_format, _ type: BufferType,
    _ path: String
  ) throws(CaptureError) -> StreamFormat {
    fillPicture(request.size)
    let actual: FrameInterval?
    if let chosen {
      actual = try setInterval(chosen, for: request, type, path)
    } else {
      actual = try? interval(type)
    }
    let hasNoRows = try DeviceFailure(path: path).wrap("listing formats") { () throws(Errno) -> Bool in
      try isCompressed(request.pixelFormat, type)
    }
    var stream = StreamFormat(
      pixelFormat: request.pixelFormat, size: request.size, interval: actual,
      planes: hasNoRows ? [] : format.planes, color: format.color)
    stream.hueSteps = format.hueSteps
    return stream
  }

  private func restore(_ format: v4l2_format, _ interval: FrameInterval?, _ type: BufferType) {
    _ = try? setFormat(format)
    if let interval { _ = try? setInterval(interval, type) }
  }

  /// The error for a picture that the driver does not make.
  private func refusal(of request: StreamRequest, _ type: BufferType, _ path: String) -> CaptureError {
    let formats = (try? formatList(type)) ?? []
    let (offered, isFormat): ([String], Bool)
    if let format = formats.first(where: { $0.pixelFormat == request.pixelFormat }) {
      (offered, isFormat) = (format.sizes.map(\.description), true)
    } else {
      (offered, isFormat) = (formats.map(\.pixelFormat.description), false)
    }
    return CaptureError(
      .invalidArgument,
      "\(path) offers no \(request.size) \(request.pixelFormat); it offers: \(offered.joined(separator: ", "))",
      .init(
        .valueNotPossible, field: isFormat ? "size" : "pixel_format",
        asked: .text(isFormat ? "\(request.size)" : "\(request.pixelFormat)"), possible: offered))
  }

  /// The size to which the driver is set, unless it is too large for `memory`.
  func currentSize(_ type: BufferType, within memory: BufferMemory) throws(Errno) -> FrameSize? {
    let format = try currentFormat(type)
    return memory.holds(format.bytes) && format.size.area > 0 ? format.size : nil
  }

  private func isCompressed(_ pixelFormat: PixelFormat, _ type: BufferType) throws(Errno) -> Bool {
    var index: UInt32 = 0
    while let native = try format(at: index, type), index < 1024 {
      if native.pixelformat == pixelFormat.rawValue {
        return native.flags & UInt32(V4L2_FMT_FLAG_COMPRESSED) != 0
      }
      index += 1
    }
    return pixelFormat.isJPEG
  }
}

extension v4l2_format {
  fileprivate func isPicture(_ request: StreamRequest) -> Bool {
    pixelFormat == request.pixelFormat && size == request.size
  }
}

extension SizeOption {
  /// "640x480", "32x32 to 1920x1080 in steps of 2x2".
  fileprivate var description: String {
    isDiscrete ? "\(minimum)" : "\(minimum) to \(maximum) in steps of \(step)"
  }
}
