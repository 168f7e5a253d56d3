import CaptureClient
import CaptureModel
import CaptureWire

extension JSON {
  init(_ size: FrameSize) { self = ["width": JSON(size.width), "height": JSON(size.height)] }

  init(_ interval: CaptureModel.FrameInterval) {
    self = [
      "numerator": JSON(interval.numerator), "denominator": JSON(interval.denominator),
      "fps": .number(interval.rate, decimals: 3),
    ]
  }

  init(_ format: PixelFormat) { self = .string(format.description) }

  /// Integers as numbers, a compound control's bytes in hexadecimal, `null` for none.
  init(_ value: CaptureModel.ControlValue?) {
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
      "sequence": JSON(info.sequence), "timestamp_ns": JSON(info.timestampNs),
      "clock": .string(info.timestampClock == .monotonic ? "node's CLOCK_MONOTONIC" : "unknown"),
      "pixel_format": JSON(PixelFormat(rawValue: info.pixelFormat)),
      "size": info.size?.model.map { JSON($0) } ?? .null,
      "source_pixel_format": JSON(PixelFormat(rawValue: info.sourcePixelFormat)),
      "source_size": info.sourceSize?.model.map { JSON($0) } ?? .null,
      "encode_ns": JSON(info.encodeNs), "settings": info.settings.map { JSON($0) } ?? .null,
      "view": JSON(info.view), "colour": info.colour.map { JSON($0) } ?? .null,
    ]
  }

  /// The meaning of a picture's samples.
  private init(_ colour: Colour) {
    self = [
      "space": .string(colour.space.word), "transfer_function": .string(colour.transferFunction.word),
      "matrix": .string(colour.matrix.word), "range": .string(colour.range.word),
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

/// The status name of a node's error: "RESOURCE_EXHAUSTED".
func statusName(_ error: CaptureError) -> String { StatusCode(error.code).description }

/// "00ff"
func hexadecimal(_ bytes: [UInt8]) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
