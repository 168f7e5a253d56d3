import CaptureNode
import CaptureOptions
import CaptureSystem
import Testing

@testable import capture_node

/// What the command line of capture-node says about its listeners.
@Suite struct ListenOptionsTests {
  private func settings(_ line: String) throws -> NodeSettings {
    let invocation = try NodeProgram.table.parse(
      line.split(separator: " ").map(String.init), environment: { _ in nil })
    guard case .run(let arguments) = invocation else { throw ConfigurationError("printed") }
    return try NodeSettings(arguments)
  }

  @Test(arguments: [
    ("--trust-local-users", "--listen 127.0.0.1:7311"),
    ("--trust-local-users --listen unix:/run/x", "--listen 127.0.0.1:7311"),
    ("--allow-plaintext", "--listen 10.8.0.1:7311"),
    ("--allow-plaintext --listen unix:/run/x --listen 127.0.0.1:7311", "--listen 10.8.0.1:7311"),
    ("--allow-plaintext --trust-local-users --listen 127.0.0.1:7311", "--listen 10.8.0.1:7311"),
  ])
  func anOptionWithoutAnAddressThatItIsForIsRefused(line: String, advice: String) throws {
    let error = try #require(throws: UsageError.self) { try settings(line) }
    #expect(error.message.contains("and there is none: add \(advice), or leave the option out"))
    #expect(error.command == "capture-node")
  }

  @Test func eachAddressHasWhatIsForIt() throws {
    let listen = try settings(
      "--listen unix:/run/x --listen 127.0.0.1:1 --listen 0.0.0.0:2 --trust-local-users --allow-plaintext"
    ).listen
    #expect(listen.map(\.policy.trustsLocalUsers) == [false, true, true])
    #expect(listen.map(\.policy.takesPlaintext) == [false, false, true])
  }
}
