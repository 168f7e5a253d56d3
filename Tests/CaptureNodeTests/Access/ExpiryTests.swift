import CaptureAccess
import CaptureModel
import CaptureTransport
import CaptureWire
import Testing

@testable import CaptureNode

@Suite struct ExpiryTests {
  @Test(.timeLimit(.minutes(1))) func aClientThatExpiresWhileItIsConnectedIsCutOff() async throws {
    let node = try await NodeWithClients()
    let stays = try await node.client("stays", [AccessGrant(.view)], for: 600)
    // Long enough to be paired, connected and served by then.
    let guest = try await node.client("guest", [AccessGrant(.view)], for: 4)
    _ = try await DevicesClient(guest).list(options: bounded)
    let failure = await guest.waitUntilLost()
    #expect(failure?.code == .unauthenticated && failure?.text.contains("'guest' has expired") == true)
    _ = try await DevicesClient(stays).list(options: bounded)
    await node.stop(guest, stays)
  }
}
