import CaptureClient

@Sendable func listControls(_ context: CommandContext) async throws {
  let controls = try await context.camera.controls()
  try context.print(
    ["controls": controls], text: tables(controls, width: Terminal.width))
}

@Sendable func getControls(_ context: CommandContext) async throws {
  let readouts = try await context.camera.controls(
    named: context.arguments.all(Options.controlNames))
  try context.print(["controls": readouts], text: text(readouts))
}

@Sendable func setControls(_ context: CommandContext) async throws {
  let settings = context.arguments.all(Options.assignments).map {
    (name: $0.name, value: ControlSetting.literal($0.literal))
  }
  let result = try await context.camera.setControls(
    settings, clamping: context.arguments[Options.clamp])
  let wait = try await context.catchingTimeLimit {
    context.arguments[Options.wait] ? try await context.camera.awaitChange(result.change) : nil
  }
  let applied = try? wait.get()
  var readouts = result.readouts
  if case .failure = wait, let now = try? await context.camera.controls(named: settings.map(\.name)) {
    readouts = now
  }
  var moment = ""
  if let applied { moment = await context.text(applied.change, applied.frame, applied.provenance) }
  // Standard output may have no reader any more. That must not hide that the wait has failed.
  let printed = Result {
    try context.print(
      [
        "controls": readouts, "change": result.change, "streaming": result.isStreaming,
        "clamped": result.clamped, "applied": applied.map { JSON($0.change, $0.frame, $0.provenance) },
      ],
      text: text(readouts) + text(result.clamped) + moment)
  }
  if case .failure(let error) = wait { throw error }
  try printed.get()
}

extension ControlReadout: JSONValue {
  var json: JSON { ["id": id.rawValue, "name": name, "value": value, "menu_name": menuName] }
}

private func text(_ readouts: [ControlReadout]) -> String {
  readouts.map { readout in
    let item = readout.menuName.map { " (\($0))" } ?? ""
    return "\(readout.name) \(text(readout.value))\(item)".printable + "\n"
  }.joined()
}

extension CameraControl: JSONValue {
  var json: JSON {
    [
      "id": description.id.rawValue, "name": description.name, "label": description.label,
      "type": description.type.name, "minimum": description.minimum, "maximum": description.maximum,
      "step": description.step, "unit": description.unit, "default": description.defaultValue,
      "menu": description.menu.map { item -> JSON in
        switch item.content {
        case .name(let name): ["index": item.index, "name": name]
        case .value(let value): ["index": item.index, "value": value]
        }
      },
      "elements": description.elements, "dimensions": description.dimensions,
      "flags": description.flags.names, "class": description.className, "value": value,
    ]
  }
}

/// A table for each class of the driver's controls.
func tables(_ controls: [CameraControl], width: Int?) -> String {
  var text = ""
  var remaining = controls.filter { $0.description.type != .controlClass }
  guard !remaining.isEmpty else { return "The camera has no controls.\n" }
  while let first = remaining.first {
    let name = first.description.className
    let table = TextTable(
      "NAME", .flexible("TYPE"), .flexible("VALUE"), .number("DEFAULT"), .flexible("NOTES"),
      .flexible("RANGE"), of: remaining.filter { $0.description.className == name }
    ) { control in
      let description = control.description
      return [
        description.name, description.type.name, value(control), defaultText(description),
        description.flags.names.joined(separator: ", "), range(description),
      ]
    }
    text += (text.isEmpty ? "" : "\n") + "\(name.printable):\n" + table.text(width: width)
    remaining.removeAll { $0.description.className == name }
  }
  return text
}

private func value(_ control: CameraControl) -> String {
  if case .integer(let index) = control.value, !control.description.menu.isEmpty {
    return "\(index) (\(control.description.menuName(at: index) ?? "?"))"
  }
  return text(control.value)
}

private func text(_ value: ControlValue?) -> String {
  switch value {
  case nil: "-"
  case .integer(let value): "\(value)"
  case .text(let text): text
  case .integers(let values): values.map(String.init).joined(separator: ",")
  case .raw(let bytes): bytes.hexDigits
  }
}

private func defaultText(_ control: ControlDescription) -> String {
  switch control.type {
  case .button, .string, .compound, .controlClass: "-"
  default: "\(control.defaultValue)"
  }
}

/// The possible values: "0 to 255", "off, on"
func range(_ control: ControlDescription) -> String {
  switch control.type {
  case .menu, .integerMenu:
    control.menu.map { "\($0.index) \(control.menuName(at: $0.index) ?? "")" }.joined(separator: ", ")
  case .boolean: "off, on"
  case .button, .compound, .controlClass: "-"
  case .string: "\(control.minimum) to \(control.maximum) characters"
  case .bitmask: "0x0 to 0x\(String(UInt64(bitPattern: control.maximum), radix: 16))"
  default:
    "\(control.minimum) to \(control.maximum)" + (control.step > 1 ? " by \(control.step)" : "")
      + (control.elements > 1 ? ", \(control.elements) values" : "")
      + (control.unit.map { ", in \($0)" } ?? "")
  }
}
