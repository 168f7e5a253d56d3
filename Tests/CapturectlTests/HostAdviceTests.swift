import CaptureClient
import CaptureSystem
import CaptureTLS
import Testing

@testable import capturectl

/// What is said of a name by which no node is known.
@Suite struct HostAdviceTests {
  @Test func anUnknownNameIsSaidToBeTakenForAHosts() {
    let unknown = RemoteNode.Configuration(address: .name(host: "studio", port: 7311))
    #expect(unknown.hostAdvice.hasPrefix("No node is known as 'studio' (capturectl node list"))
  }

  @Test func whatIsNoNameOrIsKnownNeedsNoAdvice() throws {
    for address in ["192.0.2.2", "unix:/run/x"] {
      #expect(RemoteNode.Configuration(address: try SocketAddress(parsing: address)).hostAdvice == "")
    }
    var known = RemoteNode.Configuration(address: .name(host: "studio", port: 7311))
    known.nodeKey = Digest(of: [1])
    #expect(known.hostAdvice == "")
  }
}
