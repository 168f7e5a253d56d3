import Testing

@testable import CaptureOptions

@Suite struct TypedLineTests {
  private func typed(_ words: [String], _ environment: [String: String] = [:]) -> TypedLine {
    Sample.program.readTypedLine(words) { environment[$0] }
  }

  private static let cameras = Completion.program("cameras")
  private static let controls = Completion.program("controls", besides: ["all"])

  @Test(
    arguments: [
      ([], .none, ""), ([""], .none, ""),
      (["stream", ""], cameras, ""), (["stream", "sy"], cameras, "sy"), (["stream", "0", ""], .none, ""),
      (["get", "0", ""], controls, ""), (["get", "0", "gain", "b"], controls, "b"),
      (["session", "show", "--camera", "0", ""], .none, ""), (["get", "--json", "0", ""], controls, ""),
      (["session", "show", "--camera", "f"], cameras, "f"),
      (["session", "show", "--camera=f"], cameras, "f"),
      (["session", "show", "--camera="], cameras, ""), (["session", "show", "--cam"], .none, "--cam"),
      (["get", "--unknown", "0", ""], controls, ""), (["get", "-1", ""], controls, ""),
      (["stream", "--output", "f"], .files, "f"), (["stream", "-of"], .files, "f"),
      (["stream", "--format", ""], .words(["jpeg", "raw"]), ""),
      (["get", "--", "0", "-x"], controls, "-x"), (["session", "show", ""], .none, ""),
      (["nothing", "at", "all"], .none, "all"),
    ] as [([String], Completion, String)])
  func whatBelongsAtTheEndIsWhatTheTableSays(words: [String], completion: Completion, fragment: String) {
    let line = typed(words)
    #expect(line.completion == completion)
    #expect(line.fragment == fragment)
  }

  @Test func valuesAreThoseOfTheLineThenTheEnvironmentsThenTheDefault() {
    let environment = ["SAMPLE_NODE": "there"]
    #expect(typed(["--node", "a", "stream", "--node=b", ""], environment)[Sample.node] == "b")
    #expect(typed(["stream", ""], environment)[Sample.node] == "there")
    #expect(typed(["stream", ""], ["SAMPLE_NODE": ""])[Sample.node] == "here")
    #expect(typed(["stream", "-n", "x", ""])[Sample.count] == nil)
    #expect(typed(["stream", "-n5", ""])[Sample.count] == 5)
  }

  @Test func anArgumentIsTheWordInItsPlaceAndNotTheOneThatIsTyped() {
    #expect(typed(["get", "--node", "x", "Front door", ""])[Sample.camera] == "Front door")
    #expect(typed(["get", "Front"])[Sample.camera] == nil)
    #expect(typed(["session", "list", "0", ""])[Sample.camera] == nil)
  }
}
