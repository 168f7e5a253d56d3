import CaptureModel
import Testing

@Suite struct SessionDraftTests {
  private let usual = SessionConfiguration(
    inputs: [.init(camera: "a"), .init(camera: "b")],
    outputs: [.init(name: "video", kind: .video), .init(name: "photo", kind: .photo)])

  private static let wrong: [(String, @Sendable (inout SessionConfiguration) -> Void)] = [
    ("no input: a camera", { $0.inputs = [] }),
    ("names no camera", { $0.inputs[1].camera = "" }),
    ("'a' is an input twice", { $0.inputs[1].camera = "a" }),
    ("there are two outputs 'video'", { $0.outputs[1].name = "video" }),
    ("'' cannot be an output's name", { $0.outputs[1].name = "" }),
    ("cannot be an output's name", { $0.outputs[1].name = String(repeating: "x", count: 65) }),
    ("cannot be an output's name", { $0.outputs[1].name = "a/b" }),
    ("at most 8 inputs", { $0.inputs = (0..<9).map { .init(camera: "\($0)") } }),
    ("at most 16 outputs", { $0.outputs = (0..<17).map { .init(name: "\($0)", kind: .video) } }),
    ("'sound', which is no output", { $0.connections = [SessionConnection(output: "sound")] }),
    ("'c', which is no input", { $0.connections = [SessionConnection(camera: "c", output: "video")] }),
    (
      "an output has one input",
      {
        $0.connections = [
          SessionConnection(camera: "a", output: "video"), SessionConnection(camera: "b", output: "video"),
        ]
      }
    ),
    ("an orientation of 45", { $0.connections = [SessionConnection(output: "video", orientation: 45)] }),
    ("a crop factor of 0.5", { $0.connections = [SessionConnection(output: "video", cropFactor: 0.5)] }),
    ("a crop factor of 17.0", { $0.connections = [SessionConnection(output: "video", cropFactor: 17)] }),
    ("a crop factor of nan", { $0.connections = [SessionConnection(output: "video", cropFactor: .nan)] }),
    (
      "a crop factor of inf", { $0.connections = [SessionConnection(output: "video", cropFactor: .infinity)] }
    ),
  ]

  @Test func outputsThatNoConnectionNamesAreConnectedToTheFirstInput() throws {
    var asked = usual
    asked.connections = [SessionConnection(camera: "b", output: "photo", orientation: 90)]
    let configuration = try asked.validated()
    #expect(configuration.connections.map(\.output) == ["video", "photo"])
    #expect(configuration.connections.map(\.camera) == ["a", "b"])
    #expect(configuration.connections.map(\.orientation) == [0, 90])
  }

  @Test(arguments: wrong)
  func whatCannotBeAddedIsRefusedWithTheReason(
    reason: String, change: @Sendable (inout SessionConfiguration) -> Void
  ) {
    var asked = usual
    change(&asked)
    let text = reason.replacing("no input: a camera", with: "a session needs an input: a camera")
    let error = #expect(throws: CaptureError.self) { try asked.validated() }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message.contains(text) == true, "\(error?.message ?? "")")
  }

  @Test func namesAreWhatShellsAndFilesTake() {
    for name in ["door", "a", "A-1_b.c", String(repeating: "x", count: 64)] {
      #expect(throws: Never.self) { try SessionName.validate(name) }
    }
    for name in ["", "a b", "a/b", "ö", "session-3", String(repeating: "x", count: 65)] {
      #expect(throws: CaptureError.self) { try SessionName.validate(name) }
    }
    #expect(throws: Never.self) { try SessionName.validate("session-door") }
  }
}
