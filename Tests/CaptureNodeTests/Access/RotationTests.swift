import CaptureAccess
import CaptureModel
import CaptureWire
import Dispatch
import Synchronization
import Testing

@testable import CaptureNode

@Suite(.timeLimit(.minutes(1))) struct RotationTests {
  private let folder: ConfigurationFolderTests.Folder

  init() throws { folder = try ConfigurationFolderTests.Folder() }

  /// A client that asks for many secrets does not hold up its own revocation for longer than one write takes.
  @Test func oneNewSecretOfAClientIsStoredAtATime() async throws {
    let access = NodeAccess(state: folder.path + "/state.json") { _, _ in }
    for name in ["laptop", "tablet"] {
      let code = try await access.newCode(
        grants: [AccessGrant(.view)], name: name, clientSeconds: nil, maker: nil)
      _ = try await access.pair(code: code, secret: Secret.make().digest, name: "", peer: "")
    }
    access.queue.suspend()
    let first = Task { try await access.rotate("laptop", to: Secret.make().digest) }
    await eventually("it waits for its turn") { access.state.withLock { $0.rotating == ["laptop"] } }
    let refusal = await #expect(throws: RPCError.self) {
      try await access.rotate("laptop", to: Secret.make().digest)
    }
    #expect(refusal?.code == .resourceExhausted)
    let other = Task { try await access.rotate("tablet", to: Secret.make().digest) }
    await eventually("another client's waits as well") { access.state.withLock { $0.rotating.count == 2 } }
    access.queue.resume()
    try await first.value
    try await other.value
    try await access.rotate("laptop", to: Secret.make().digest)
  }
}
