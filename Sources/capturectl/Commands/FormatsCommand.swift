import CaptureClient

@Sendable func listFormats(_ context: CommandContext) async throws {
  let formats = try await context.camera.formats()
  try context.print(["formats": formats], text: table(formats))
}

extension CameraFormat: JSONValue {
  var json: JSON {
    [
      "pixel_format": description.pixelFormat, "description": description.description,
      "compressed": description.isCompressed, "emulated": description.isEmulated,
      "jpeg": abilities.isAvailableAsJPEG, "jpeg_conversion": abilities.jpegConversion?.rawValue,
      "converted_pixel_formats": abilities.targets.map(\.pixelFormat), "raw_transform": abilities.isTurnable,
      "measurable": abilities.isMeasurable,
      "maximum_zoom_factor": abilities.maximumZoom.map { JSON.number($0, decimals: 3) },
      "maximum_raw_zoom_factor": abilities.maximumRawZoom.map { JSON.number($0, decimals: 3) },
      "sizes": description.sizes,
    ]
  }
}

/// A discrete size has its `intervals`, if they are known. A range has its limits, and the size to which the driver was set.
extension SizeOption: JSONValue {
  var json: JSON {
    let size: JSON = ["minimum": minimum, "maximum": maximum, "step": step]
    let rates: JSON =
      switch intervals {
      case .unknown: ["intervals": [JSON]()]
      case .discrete(let intervals): ["intervals": intervals]
      case .range(let minimum, let maximum, let step):
        ["minimum_interval": minimum, "maximum_interval": maximum, "step_interval": step]
      }
    return size.adding(rates).adding(current == nil ? [:] : ["current": current])
  }
}

private func table(_ formats: [CameraFormat]) -> String {
  guard !formats.isEmpty else { return "The camera offers no formats.\n" }
  var table = TextTable("FORMAT", "SIZE", .flexible("FRAMES/S"), "AS JPEG", .flexible("DESCRIPTION"))
  for format in formats {
    let emulated = format.description.isEmulated ? " (emulated)" : ""
    for (index, option) in format.description.sizes.sorted(by: isSmaller).enumerated() {
      table.add(
        index == 0 ? format.description.pixelFormat.description : "", text(option), rates(option.intervals),
        index > 0 ? "" : jpegText(format),
        index == 0 ? format.description.description + emulated : "")
    }
  }
  return table.text()
}

/// What converts the format to JPEG.
private func jpegText(_ format: CameraFormat) -> String {
  guard format.abilities.isAvailableAsJPEG else { return "no, raw alone" }
  return switch format.abilities.jpegConversion {
  case nil: "yes"
  case .asItIs: "as it is"
  case .libyuv: "by libyuv"
  case .libv4lconvert: "by libv4lconvert"
  case .node: "by the node"
  }
}

func isSmaller(_ a: SizeOption, _ b: SizeOption) -> Bool {
  (a.maximum.area, a.maximum.width) < (b.maximum.area, b.maximum.width)
}

func text(_ option: SizeOption) -> String {
  option.isDiscrete
    ? option.minimum.description
    : "\(option.minimum) to \(option.maximum) by \(option.step)"
      + (option.current.map { ", now \($0)" } ?? "")
}

/// "30, 15", "1 to 60"
func rates(_ intervals: IntervalOptions) -> String {
  func rate(_ interval: FrameInterval) -> String { String(interval.description.dropLast(4)) }
  return switch intervals {
  case .unknown: "unknown"
  case .discrete(let intervals): intervals.map(rate).joined(separator: ", ")
  case .range(let minimum, let maximum, _): "\(rate(maximum)) to \(rate(minimum))"
  }
}
