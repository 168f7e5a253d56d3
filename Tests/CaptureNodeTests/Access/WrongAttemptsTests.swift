import CaptureAccess
import CaptureModel
import CaptureSystem
import CaptureTransport
import CaptureWire
import Synchronization
import Testing

@testable import CaptureNode

/// Whoever tries secrets and codes fills no log.
@Suite(.timeLimit(.minutes(1))) struct WrongAttemptsTests {
  private static let attempts = 100
  private let folder: ConfigurationFolderTests.Folder
  private let said: Said
  private let access: NodeAccess

  private final class Said: Sendable {
    let lines = Mutex<[String]>([])
  }

  init() throws {
    folder = try ConfigurationFolderTests.Folder()
    let said = Said()
    self.said = said
    access = NodeAccess(state: folder.path + "/state.json") { _, line in
      said.lines.withLock { $0.append(line) }
    }
  }

  /// Makes all attempts. Returns how many lines that may write: one, and one more for each second.
  private func attempt(_ body: () async -> Void) async -> Int {
    let began = MonotonicClock.now()
    for _ in 0..<Self.attempts { await body() }
    return 1 + Int((MonotonicClock.now() - began) / 1_000_000_000)
  }

  private func lines(_ text: String) -> Int { said.lines.withLock { $0.count { $0.contains(text) } } }

  @Test func wrongSecretsWriteALineASecond() async {
    var arrival = Arrival(way: .network, peer: "192.0.2.1:5")
    arrival.isEncrypted = true
    let most = await attempt {
      #expect(throws: RPCError.self) { try access.identify(arrival, credential: Secret.make().bytes) }
    }
    #expect(1...most ~= lines("refused a connection from 192.0.2.1:5: the credential is unknown"))
  }

  @Test func wrongCodesWriteALineASecondAndUseNothingUp() async throws {
    let code = try await access.newCode(
      grants: [AccessGrant(.view)], name: "door", clientSeconds: nil, maker: nil)
    let most = await attempt {
      await #expect(throws: RPCError.self) {
        try await access.pair(code: Secret.make().bytes, secret: Secret.make().digest, name: "", peer: "")
      }
    }
    #expect(1...most ~= lines("has tried a pairing code that is unknown"))
    let right = Secret.make()
    #expect(try await access.pair(code: code, secret: right.digest, name: "", peer: "").name == "door")
    let theft = await attempt {
      await #expect(throws: RPCError.self) {
        try await access.pair(code: code, secret: Secret.make().digest, name: "", peer: "")
      }
    }
    #expect(1...theft ~= lines("the code may have been stolen"))
  }
}
