import CaptureSystem
import CaptureTLS
import CaptureTransport
import Testing

@testable import CaptureClient

@Suite struct ServerNameTests {
  @Test func aCertificateIsNotAskedForTheInterfaceOfAnAddress() throws {
    var configuration = RemoteNode.Configuration(
      address: .internet(host: "fe80::7%eth0", port: 7311, family: .v6))
    configuration.authority = CertificateAuthority(pem: try TLSIdentity.make().certificatePEM)
    guard case .authority(_, let name)? = configuration.tls else {
      Issue.record("it is not encrypted")
      return
    }
    #expect(name == "fe80::7")
  }
}
