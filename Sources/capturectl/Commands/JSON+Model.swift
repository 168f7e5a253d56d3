import CaptureClient

extension JSON {
  init(_ size: FrameSize) { self = ["width": JSON(size.width), "height": JSON(size.height)] }

  init(_ interval: FrameInterval) {
    self = [
      "numerator": JSON(interval.numerator), "denominator": JSON(interval.denominator),
      "fps": .number(interval.rate, decimals: 3),
    ]
  }

  init(_ format: PixelFormat) { self = .string(format.description) }

  /// Integers as numbers, a compound control's bytes in hexadecimal, `null` for none.
  init(_ value: ControlValue?) {
    switch value {
    case nil: self = .null
    case .integer(let value): self = JSON(value)
    case .text(let text): self = .string(text)
    case .integers(let values): self = .array(values.map { JSON($0) })
    case .raw(let bytes): self = .string(hexadecimal(bytes))
    }
  }

  /// The description of a frame.
  init(_ info: FrameInfo) {
    self = [
      "sequence": JSON(info.sequence), "timestamp_ns": JSON(info.timestamp.nanoseconds),
      "clock": .string(info.timestamp.clock == .monotonic ? "node's CLOCK_MONOTONIC" : "unknown"),
      "pixel_format": JSON(info.pixelFormat), "size": JSON(known: info.size),
      "source_pixel_format": JSON(info.sourcePixelFormat), "source_size": JSON(known: info.sourceSize),
      "encode_ns": JSON(info.encodeTime?.wholeNanoseconds ?? 0),
      "settings": info.settings.map { JSON($0) } ?? .null,
      "view": JSON(info.view), "colour": info.color.map { JSON($0) } ?? .null,
      "exposure": info.exposure.map { JSON($0) } ?? .null, "utc": info.utc.map { JSON($0) } ?? .null,
    ]
  }

  private init(_ exposure: ExposureTime) {
    self = [
      "start_ns": JSON(exposure.start), "end_ns": JSON(exposure.end),
      "uncertainty_ns": JSON(exposure.uncertainty), "clock": "node's CLOCK_MONOTONIC",
      "provenance": .string(exposure.provenance.word),
    ]
  }

  init(_ time: UTCTime) {
    self = [
      "ns": JSON(time.nanoseconds), "uncertainty_ns": JSON(time.uncertainty),
      "synchronised": .bool(time.isSynchronised), "clock": "UTC",
    ]
  }

  /// `null` for a size that the node did not tell.
  private init(known size: FrameSize) { self = size.area == 0 ? .null : JSON(size) }

  /// The meaning of a picture's samples.
  private init(_ color: ColorDescription) {
    self = [
      "space": .string(color.space.rawValue), "transfer_function": .string(color.transfer.rawValue),
      "matrix": .string(color.matrix.rawValue), "range": .string(color.isFullRange ? "full" : "limited"),
    ]
  }

  /// How a picture shows the sensor's own upright frame.
  private init(_ view: PictureTransform) {
    let crop = view.crop
    self = [
      "x": .number(crop.x, decimals: 6), "y": .number(crop.y, decimals: 6),
      "width": .number(crop.width, decimals: 6), "height": .number(crop.height, decimals: 6),
      "orientation": JSON(view.orientation.rawValue), "mirrored": .bool(view.isMirrored),
    ]
  }
}

extension Duration {
  /// At most `Int64.max`.
  var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (nanoseconds, isTooMuch) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isOver) = nanoseconds.addingReportingOverflow(attoseconds / 1_000_000_000)
    return isTooMuch || isOver ? .max : sum
  }
}

/// "00ff"
func hexadecimal(_ bytes: [UInt8]) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
