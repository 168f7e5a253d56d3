import CaptureModel
import CaptureSystem
public import CaptureTLS
import Glibc

/// The key "tls" of a configuration: the files of the certificate that the node shows, in place of the one that it makes.
///
///     tls: { certificate: "/etc/capture-node/tls/fullchain.pem", key: "/etc/capture-node/tls/key.pem" }
public struct ConfiguredTLS: Hashable, Sendable {
  /// The path of a PEM file with the node's certificate, and behind it the certificates that lead to the CA's.
  public var certificate: String
  /// The path of a PEM file with the private key. Other users must not be able to read the file.
  public var key: String
  /// The file and the line of the configuration that have the key "tls", for messages.
  var place = ""

  private static let longest = 1 << 20

  /// Reads the files. Throws where a file cannot be used, and where the certificate belongs to another key.
  public func identity(
    environment: (String) -> String? = { getenv($0).map { String(cString: $0) } }
  ) throws(ConfigurationError) -> TLSIdentity {
    let chain = try bytes(of: certificate, "certificate")
    try requirePrivacy(environment)
    let key = try bytes(of: key, "key")
    do throws(TLSError) {
      let identity = try TLSIdentity(key: key, chain: chain)
      _ = try TLSContext.server(identity)
      return identity
    } catch {
      throw ConfigurationError("\(place)tls: \(certificate) and \(self.key): \(error)")
    }
  }

  private func bytes(of path: String, _ key: String) throws(ConfigurationError) -> [UInt8] {
    do throws(Errno) { return try SmallFile.bytes(of: path, upTo: Self.longest) } catch {
      throw ConfigurationError("\(place)tls.\(key): \(path) cannot be read: \(error)")
    }
  }

  /// Throws where others can read the key, since it is no secret then. In `$CREDENTIALS_DIRECTORY`, where systemd puts the files of
  /// `LoadCredential=`, the group's bits of the mode may be set: systemd lets the service's user read the files by an access list, which the kernel
  /// shows in these bits.
  private func requirePrivacy(_ environment: (String) -> String?) throws(ConfigurationError) {
    var status = stat()
    // If this fails, reading fails too, and says why.
    guard stat(key, &status) == 0 else { return }
    let isOfService = environment("CREDENTIALS_DIRECTORY").map { key.hasPrefix($0 + "/") } ?? false
    guard status.st_mode & (isOfService ? 0o007 : 0o077) == 0 else {
      throw ConfigurationError(
        "\(place)tls.key: \(key) can be read by others, so it is no proof. If nobody has read it, chmod 600 it, and have it belong to the node's user; otherwise have "
          + "another one certified")
    }
  }
}

extension ConfiguredTLS: Decodable {
  private enum Key: String, CaseIterable { case certificate, key }

  public init(from decoder: any Decoder) throws {
    let keys = try StrictKeys<Key>(decoder)
    func path(_ key: Key) throws -> String {
      guard let path = try keys.value(key, String.self), path.hasPrefix("/") else {
        throw keys.refusal(key, "is needed, the absolute path of a file in PEM")
      }
      return path
    }
    (certificate, key) = (try path(.certificate), try path(.key))
  }
}
