import CaptureClient

@Sendable func listInputs(_ context: CommandContext) async throws {
  try show(try await context.camera.inputs(), context)
}

@Sendable func selectInput(_ context: CommandContext) async throws {
  try show(
    try await context.camera.selectInput(context.arguments[Options.inputName]!), context)
}

private func show(_ inputs: [CameraInput], _ context: CommandContext) throws {
  try context.print(["inputs": inputs], text: table(inputs))
}

private func table(_ inputs: [CameraInput]) -> String {
  guard !inputs.isEmpty else { return "The camera has no inputs to choose from.\n" }
  return TextTable(.number("INDEX"), .flexible("INPUT"), .flexible("STATUS"), .flexible("SIGNAL"), of: inputs)
  { input in
    let status = input.isSelected ? "in use, \(input.status?.words ?? "status unknown")" : "-"
    var signal = input.signal?.description ?? "-"
    if let detected = input.detected, detected != input.signal { signal += ", there is \(detected)" }
    return ["\(input.index)", input.name, status, signal]
  }.text()
}

extension InputStatus {
  /// The words for people.
  fileprivate var words: String {
    switch self {
    case .ready: "ready"
    case .noPower: "no power"
    case .noSignal: "no signal"
    case .unstable: "unstable"
    case .outOfRange: "out of range"
    }
  }

  /// The word for programs.
  fileprivate var word: String {
    switch self {
    case .ready: "ready"
    case .noPower: "no_power"
    case .noSignal: "no_signal"
    case .unstable: "unstable"
    case .outOfRange: "out_of_range"
    }
  }
}

extension CameraInput: JSONValue {
  var json: JSON {
    [
      "index": index, "name": name, "kind": kind.rawValue, "selected": isSelected, "status": status?.word,
      "flags": flags, "signal": signal, "detected": detected,
    ]
  }
}

extension InputSignal: JSONValue {
  var json: JSON {
    switch self {
    case .standard(let name): ["standard": name]
    case .timings(let timings):
      ["size": timings.size, "interval": timings.interval, "interlaced": timings.isInterlaced]
    }
  }
}
