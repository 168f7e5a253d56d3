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
    fillPicture(request.size)
    var actual = try? interval(type)
    if let chosen {
      actual = try failure.wrap("setting \(chosen)") { () throws(Errno) -> FrameInterval? in
        try setInterval(chosen, type)
      }
      guard let actual, actual.isAbout(chosen) else {
        restore(previous, previousInterval, type)
        let instead = actual.map { "its driver made \($0) of it" } ?? "its driver has no settable rate"
        throw CaptureError(
          .invalidArgument,
          "\(path) cannot do \(request.size) \(request.pixelFormat) at \(chosen): \(instead)",
          .init(
            .valueNotPossible, field: "rate", asked: .text("\(chosen)"),
            possible: actual.map { ["\($0)"] } ?? []))
      }
    }
    let hasNoRows = try failure.wrap("listing formats") { () throws(Errno) -> Bool in
      try isCompressed(request.pixelFormat, type)
    }
    var stream = StreamFormat(
      pixelFormat: request.pixelFormat, size: request.size, interval: actual,
      planes: hasNoRows ? [] : format.planes, color: format.color)
    stream.hueSteps = format.hueSteps
    return (stream, format.bytes)
  }

  private func restore(_ format: v4l2_format, _ interval: FrameInterval?, _ type: BufferType) {
    _ = try? setFormat(format)
    if let interval { _ = try? setInterval(interval, type) }
  }

  /// The requested interval as the driver has it: 30 fps may be 333333/10000000 s. `nil`: the request has no interval.
  private func chooseInterval(_ request: StreamRequest, _ path: String) throws(CaptureError) -> FrameInterval?
  {
    guard let wanted = request.interval else { return nil }
    let options = try? intervalList(for: request.pixelFormat, at: request.size)
    switch options {
    case .discrete(let intervals):
      if let match = intervals.first(where: { $0.isAbout(wanted) }) { return match }
      let rates = intervals.map(\.description).joined(separator: ", ")
      throw CaptureError(
        .invalidArgument,
        "\(path) offers no \(wanted) at \(request.size) \(request.pixelFormat); it offers: \(rates)",
        .init(
          .valueNotPossible, field: "rate", asked: .text("\(wanted)"), possible: intervals.map(\.description))
      )
    case .range(let minimum, let maximum, _):
      if wanted >= minimum && wanted <= maximum || wanted.isAbout(minimum) || wanted.isAbout(maximum) {
        return wanted
      }
      throw CaptureError(
        .invalidArgument,
        "\(path) offers no \(wanted) at \(request.size) \(request.pixelFormat); it offers \(maximum) to \(minimum)",
        .init(
          .valueOutOfRange, field: "rate", asked: .number(wanted.rate),
          range: .init(maximum.rate, minimum.rate))
      )
    case .unknown, nil:
      return wanted
    }
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

extension FrameInterval {
  /// Whether both are equal except for rounding: 30 fps and 333333/10000000 s are, 30 and 29.97 fps are not.
  fileprivate func isAbout(_ other: FrameInterval) -> Bool {
    abs(seconds - other.seconds) < 0.0005 * seconds
  }
}

extension SizeOption {
  /// "640x480", "32x32 to 1920x1080 in steps of 2x2".
  fileprivate var description: String {
    isDiscrete ? "\(minimum)" : "\(minimum) to \(maximum) in steps of \(step)"
  }
}
