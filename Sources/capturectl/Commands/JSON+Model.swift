import CaptureClient

extension FrameSize: JSONValue {
  var json: JSON { ["width": width, "height": height] }

  /// `nil` for a size that the node did not tell.
  fileprivate var known: FrameSize? { area == 0 ? nil : self }
}

extension FrameInterval: JSONValue {
  var json: JSON {
    ["numerator": numerator, "denominator": denominator, "fps": JSON.number(rate, decimals: 3)]
  }
}

extension PixelFormat: JSONValue {
  var json: JSON { .string(description) }
}

/// The description of a frame.
extension FrameInfo: JSONValue {
  var json: JSON {
    [
      "sequence": sequence, "timestamp_ns": timestamp.nanoseconds,
      "clock": timestamp.clock == .monotonic ? "node's CLOCK_MONOTONIC" : "unknown",
      "pixel_format": pixelFormat, "size": size.known, "source_pixel_format": sourcePixelFormat,
      "source_size": sourceSize.known, "encode_ns": encodeTime?.wholeNanoseconds ?? 0, "settings": settings,
      "view": view, "colour": color, "exposure": exposure, "utc": utc,
    ]
  }
}

extension ExposureTime: JSONValue {
  var json: JSON {
    [
      "start_ns": start, "end_ns": end, "uncertainty_ns": uncertainty, "clock": "node's CLOCK_MONOTONIC",
      "provenance": provenance.word,
    ]
  }
}

extension UTCTime: JSONValue {
  var json: JSON {
    ["ns": nanoseconds, "uncertainty_ns": uncertainty, "synchronised": isSynchronised, "clock": "UTC"]
  }
}

/// The meaning of a picture's samples.
extension ColorDescription: JSONValue {
  var json: JSON {
    [
      "space": space.rawValue, "transfer_function": transfer.rawValue, "matrix": matrix.rawValue,
      "range": isFullRange ? "full" : "limited",
    ]
  }
}

/// The transform from the sensor's upright frame to a picture.
extension PictureTransform: JSONValue {
  var json: JSON {
    [
      "x": JSON.number(crop.x, decimals: 6), "y": JSON.number(crop.y, decimals: 6),
      "width": JSON.number(crop.width, decimals: 6), "height": JSON.number(crop.height, decimals: 6),
      "orientation": orientation.rawValue, "mirrored": isMirrored,
    ]
  }
}

/// Integers as numbers, a compound control's bytes in hexadecimal.
extension ControlValue: JSONValue {
  var json: JSON {
    switch self {
    case .integer(let value): value.json
    case .text(let text): text.json
    case .integers(let values): values.json
    case .raw(let bytes): bytes.hexDigits.json
    }
  }
}

extension Duration {
  /// The duration in whole nanoseconds, `Int64.max` at most.
  var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (nanoseconds, isTooMuch) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isOver) = nanoseconds.addingReportingOverflow(attoseconds / 1_000_000_000)
    return isTooMuch || isOver ? .max : sum
  }
}
