@testable import CaptureOptions

/// A table with everything a table can have.
enum Sample {
  static let node = Option(
    "node", .text("ADDRESS"), help: "Where to connect.", defaultText: "here", environment: "SAMPLE_NODE")
  static let json = Flag("json", help: "Print JSON.")
  static let count = Option("count", short: "n", .integer("N", in: 1...100), help: "How often.")
  static let rate = Option("rate", .positive("FPS", upTo: 1000, unit: "frames a second"), help: "How fast.")
  static let format = Option("format", .choice("FORMAT", ["jpeg", "raw"]), help: "Which.")
  static let output = Option("output", short: "o", .file(), help: "Where to write.")
  static let label = Option("label", .text("TEXT"), help: "A label.", isRepeatable: true)
  static let wait = Option("wait", .seconds, help: "How long.")
  static let other = Option("camera", .text("CAMERA", completion: .program("cameras")), help: "Another one.")
  static let camera = Positional(
    .text("CAMERA", completion: .program("cameras")), help: "Which camera.")
  static let names = Positional(
    .text("NAME", completion: .program("controls", besides: ["all"])), .oneOrMore, help: "Which controls.")

  static let program = Program(
    Command(
      "sample", summary: "Shows a table.", options: [node, json],
      commands: [
        Command(
          "stream", summary: "Receive frames.", positionals: [camera.declaration],
          options: [count, rate, format, output, label, wait],
          examples: [.init("sample stream 0 -o a.jpg", "Writes one file.")]),
        Command(
          "get", summary: "Print values.", positionals: [camera.declaration, names.declaration]),
        Command(
          "session", summary: "Sessions.",
          commands: [
            Command("list", summary: "List them."), Command("show", summary: "Show one.", options: [other]),
          ]),
      ]),
    version: "1.2.3", exitStatuses: [(0, "Well."), (2, "Wrong usage.")], seeAlso: ["other(1)"])

  static func run(_ line: String, _ environment: [String: String] = [:]) throws -> Arguments {
    let invocation = try program.parse(line.split(separator: " ").map(String.init)) { environment[$0] }
    guard case .run(let arguments) = invocation else { throw UsageError(message: "printed", command: line) }
    return arguments
  }

  /// The message with which a line is refused; "" if it is not.
  static func refusal(_ line: String, _ environment: [String: String] = [:]) -> String {
    do {
      _ = try program.parse(line.split(separator: " ").map(String.init)) { environment[$0] }
      return ""
    } catch {
      return error.message
    }
  }
}
