import CaptureClient

/// A camera's description and abilities.
struct CameraOverview {
  typealias Line = (name: String, value: String)

  /// `nil`: the camera has gone meanwhile.
  var info: CameraInfo?
  /// The name by which the camera was asked for.
  var name: String
  var formats: [CameraFormat]
  /// The format that each preset gives, or why it is impossible.
  var presets: [(preset: SessionPreset, format: Result<ActiveFormat, CaptureError>)]
  var settings: SettingsDescription
  var controls: [CameraControl]

  var id: String { info?.id.rawValue ?? name }

  /// The camera's identity, and the direction in which it looks.
  var cameraLines: [Line] {
    guard let description = info?.description else { return [("camera", name)] }
    let place = description.path.isEmpty ? "" : ", \(description.path)"
    let position =
      switch description.position {
      case .unspecified: "not known"
      case .front: "front"
      case .back: "back"
      case .external: "external"
      }
    return [
      ("camera", id), ("name", "\(description.name) (\(description.driver)\(place))"),
      ("position", position),
    ]
  }

  // MARK: Formats

  /// Formats with the same sizes and rates share a line: "YUYV, MJPG: 1280x720 at 30; 640x480, 320x240 at 60, 30 frames/s".
  var formatLines: [Line] {
    var groups: [(names: [String], offers: String)] = []
    for format in formats {
      let name = format.description.pixelFormat.description
      let offers = offersText(format)
      if let index = groups.firstIndex(where: { $0.offers == offers }) {
        groups[index].names.append(name)
      } else {
        groups.append(([name], offers))
      }
    }
    if groups.isEmpty { return [("formats", "none")] }
    return groups.enumerated().map { index, group in
      (index == 0 ? "formats" : "", "\(group.names.joined(separator: ", ")): \(group.offers)")
    }
  }

  /// The sizes, the largest first. Those with the same rates stand together.
  private func offersText(_ format: CameraFormat) -> String {
    var groups: [(sizes: [String], rates: String)] = []
    for option in format.description.sizes.sorted(by: isSmaller).reversed() {
      let offered = rates(option.intervals)
      if let index = groups.firstIndex(where: { $0.rates == offered }) {
        groups[index].sizes.append(text(option))
      } else {
        groups.append(([text(option)], offered))
      }
    }
    let offers = groups.map { "\($0.sizes.joined(separator: ", ")) at \($0.rates)" }
    let end = format.abilities.isAvailableAsJPEG ? "" : ", not as JPEG"
    return offers.joined(separator: "; ") + " frames/s" + end
  }

  // MARK: Presets

  /// "photo 1920x1080, high 1280x720, 640x480, inputPriority; not 352x288"
  var presetText: String {
    var (can, cannot): ([String], [String]) = ([], [])
    for (preset, format) in presets {
      switch format {
      case .success(let format):
        let size = preset.size == nil ? format.size.map { " \($0)" } : nil
        can.append(preset.name + (size ?? ""))
      case .failure: cannot.append(preset.name)
      }
    }
    let groups = [can, cannot.isEmpty ? [] : ["not \(cannot.joined(separator: ", "))"]]
    return groups.filter { !$0.isEmpty }.map { $0.joined(separator: ", ") }.joined(separator: "; ")
  }

  var presetsJSON: JSON {
    presets.map { preset, format -> JSON in
      switch format {
      case .success(let format): ["preset": preset.name, "size": format.size, "refusal": JSON.null]
      case .failure(let error): ["preset": preset.name, "size": JSON.null, "refusal": error.message]
      }
    }.json
  }

  // MARK: Controls

  /// The driver's controls that no setting uses.
  var otherControls: [CameraControl] {
    let used = Set(settings.controls.map(\.control))
    return controls.filter {
      $0.description.type != .controlClass && !used.contains($0.description.id)
    }
  }

  /// One line for each class of the driver's controls: "User Controls: brightness 0 to 255; hue -180 to 180".
  var otherControlLines: [Line] {
    var classes: [(name: String, controls: [String])] = []
    for control in otherControls.map(\.description) {
      let text = [control.name, rangeText(control)].filter { !$0.isEmpty }.joined(separator: " ")
      if let index = classes.firstIndex(where: { $0.name == control.className }) {
        classes[index].controls.append(text)
      } else {
        classes.append((control.className, [text]))
      }
    }
    if classes.isEmpty { return [("other controls", "none")] }
    return classes.enumerated().map { index, group in
      (index == 0 ? "other controls" : "", "\(group.name): \(group.controls.joined(separator: "; "))")
    }
  }

  private func rangeText(_ control: ControlDescription) -> String {
    if control.flags.contains(.readOnly) { return "(read-only)" }
    switch control.type {
    case .button, .compound, .controlClass: return ""
    case .menu, .integerMenu:
      return control.menu.compactMap { control.menuName(at: $0.index) }.joined(separator: ", ")
    default: return range(control)
    }
  }
}
