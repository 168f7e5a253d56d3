import CVideo4Linux
import CaptureModel
import CaptureSystem

extension VideoDevice {
  /// The most entries of an enumeration that are read: a driver whose list never ends must not hold the node.
  private static var enumerationLimit: UInt32 { 1024 }

  /// Every pixel format with its sizes and intervals. `current`: the size to which the driver was set when the camera appeared, or when its source
  /// last changed. A range of sizes that contains `current` has it as ``SizeOption/current``.
  func formatList(_ type: BufferType, current: FrameSize? = nil) throws(Errno) -> [FormatDescription] {
    var formats: [FormatDescription] = []
    for index in 0..<Self.enumerationLimit {
      guard let native = try format(at: index, type) else { break }
      let pixelFormat = PixelFormat(rawValue: native.pixelformat)
      formats.append(
        FormatDescription(
          pixelFormat: pixelFormat,
          description: text(native.description),
          isCompressed: native.flags & UInt32(V4L2_FMT_FLAG_COMPRESSED) != 0,
          isEmulated: native.flags & UInt32(V4L2_FMT_FLAG_EMULATED) != 0,
          sizes: try sizeList(for: pixelFormat, type, current: current)))
    }
    return formats
  }

  /// The sizes of a format. A driver that lists none has only the size to which it is set.
  private func sizeList(
    for pixelFormat: PixelFormat, _ type: BufferType, current: FrameSize?
  ) throws(Errno) -> [SizeOption] {
    var sizes: [SizeOption] = []
    for index in 0..<Self.enumerationLimit {
      guard let native = try frameSize(at: index, for: pixelFormat) else { break }
      if native.type == V4L2_FRMSIZE_TYPE_DISCRETE.rawValue {
        let size = FrameSize(width: Int(native.discrete.width), height: Int(native.discrete.height))
        sizes.append(SizeOption(discrete: size, intervals: try intervalList(for: pixelFormat, at: size)))
        continue
      }
      let range = native.stepwise
      var option = SizeOption(
        from: FrameSize(width: Int(range.min_width), height: Int(range.min_height)),
        to: FrameSize(width: Int(range.max_width), height: Int(range.max_height)),
        step: FrameSize(width: max(1, Int(range.step_width)), height: max(1, Int(range.step_height))),
        intervals: .unknown)
      if let current, option.contains(current) { option.current = current }
      option.intervals = try intervalList(for: pixelFormat, at: option.current ?? option.maximum)
      sizes.append(option)
      break  // a range is the only entry
    }
    if sizes.isEmpty {
      let size = try currentFormat(type).size
      sizes.append(SizeOption(discrete: size, intervals: try intervalList(for: pixelFormat, at: size)))
    }
    return sizes
  }

  /// The intervals of a format at a size.
  func intervalList(for pixelFormat: PixelFormat, at size: FrameSize) throws(Errno) -> IntervalOptions {
    var intervals: [FrameInterval] = []
    for index in 0..<Self.enumerationLimit {
      guard let native = try frameInterval(at: index, for: pixelFormat, size: size) else { break }
      if native.type == V4L2_FRMIVAL_TYPE_DISCRETE.rawValue {
        if let interval = FrameInterval(native.discrete), !intervals.contains(interval) {
          intervals.append(interval)
        }
        continue
      }
      guard let minimum = FrameInterval(native.stepwise.min), let maximum = FrameInterval(native.stepwise.max)
      else { return .unknown }
      let isContinuous = native.type == V4L2_FRMIVAL_TYPE_CONTINUOUS.rawValue
      let step = isContinuous ? nil : FrameInterval(native.stepwise.step)
      return .range(minimum: minimum, maximum: maximum, step: step)
    }
    return intervals.isEmpty ? .unknown : .discrete(intervals.sorted())
  }
}

extension FrameInterval {
  /// An hour. A driver may report any interval; none that is longer than this is believed, since times are computed from it.
  private static let longest = FrameInterval(numerator: 3600, denominator: 1)!

  init?(_ native: v4l2_fract) {
    guard let reported = FrameInterval(numerator: native.numerator, denominator: native.denominator) else {
      return nil
    }
    self = min(reported, Self.longest)
  }
}
