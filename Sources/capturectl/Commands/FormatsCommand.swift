import CaptureClient

@Sendable func listFormats(_ context: CommandContext) async throws {
  let formats = try await context.camera.formats()
  try context.print(["formats": .array(formats.map { JSON($0) })], text: table(formats))
}

extension JSON {
  init(_ format: CameraFormat) {
    self = [
      "pixel_format": JSON(format.description.pixelFormat),
      "description": .string(format.description.description),
      "compressed": .bool(format.description.isCompressed), "emulated": .bool(format.description.isEmulated),
      "jpeg": .bool(format.abilities.isAvailableAsJPEG),
      "jpeg_conversion": format.abilities.jpegConversion.map { .string($0.rawValue) } ?? .null,
      "converted_pixel_formats": .array(format.abilities.targets.map { JSON($0.pixelFormat) }),
      "raw_transform": .bool(format.abilities.isTurnable), "measurable": .bool(format.abilities.isMeasurable),
      "maximum_zoom_factor": format.abilities.maximumZoom.map { .number($0, decimals: 3) } ?? .null,
      "maximum_raw_zoom_factor": format.abilities.maximumRawZoom.map { .number($0, decimals: 3) } ?? .null,
      "sizes": .array(format.description.sizes.map(json)),
    ]
  }
}

/// A discrete size has its `intervals`, if they are known. A range has its limits, and the size to which the driver was set.
private func json(_ option: SizeOption) -> JSON {
  var members: [(String, JSON)] = [
    ("minimum", JSON(option.minimum)), ("maximum", JSON(option.maximum)), ("step", JSON(option.step)),
  ]
  switch option.intervals {
  case .unknown: members.append(("intervals", []))
  case .discrete(let intervals): members.append(("intervals", .array(intervals.map { JSON($0) })))
  case .range(let minimum, let maximum, let step):
    members += [
      ("minimum_interval", JSON(minimum)), ("maximum_interval", JSON(maximum)),
      ("step_interval", step.map { JSON($0) } ?? .null),
    ]
  }
  if let current = option.current { members.append(("current", JSON(current))) }
  return .object(members)
}

private func table(_ formats: [CameraFormat]) -> String {
  guard !formats.isEmpty else { return "The camera offers no formats.\n" }
  var table = TextTable([
    .init("FORMAT"), .init("SIZE"), .init("FRAMES/S", isFlexible: true), .init("AS JPEG"),
    .init("DESCRIPTION", isFlexible: true),
  ])
  for format in formats {
    let emulated = format.description.isEmulated ? " (emulated)" : ""
    for (index, option) in format.description.sizes.sorted(by: isSmaller).enumerated() {
      table.add(
        index == 0 ? format.description.pixelFormat.description : "", text(option), rates(option.intervals),
        index > 0 ? "" : jpegText(format),
        index == 0 ? format.description.description + emulated : "")
    }
  }
  return table.text(width: Terminal.width)
}

/// What converts it to JPEG.
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
