import CaptureAccess
import CaptureClient
import CaptureSystem

extension RemoteNode.Configuration {
  /// Reaches the node that an address means: one that this machine was paired with, by its name or its address, or else whatever is there.
  /// `credentialFile`: has what this client proves itself with, in place of what was made when it was paired.
  static func toward(_ address: SocketAddress, credentialFile: String? = nil) throws -> Self {
    var configuration =
      if let node = try KnownNodes.usual?.node(at: address) { try Self(node) } else { Self(address: address) }
    if let credentialFile {
      let credential = try CredentialFile.credential(at: credentialFile)
      configuration.credential = credential.secret
      configuration.isCredentialForPlaintext = credential.isForPlaintext
    }
    return configuration
  }
}
