public import CaptureSystem
public import CaptureTransport

/// Where a node listens, and whom it lets in there without TLS: an entry of `listen`.
///
///     "10.0.0.1:7311"
///     { address: "127.0.0.1:7311", trustLocalUsers: true }
///     { address: "10.0.0.1:7311", plaintext: true }
public struct ListenSetting: Hashable, Sendable {
  public var address: SocketAddress
  public var policy: ListenerPolicy

  public init(_ address: SocketAddress, policy: ListenerPolicy = ListenerPolicy()) {
    (self.address, self.policy) = (address, policy)
  }
}

extension ListenSetting: Decodable {
  private enum Key: String, CaseIterable { case address, trustLocalUsers, plaintext }

  public init(from decoder: any Decoder) throws {
    if let container = try? decoder.singleValueContainer(), let text = try? container.decode(String.self) {
      do throws(SocketAddressError) {
        (address, policy) = (try SocketAddress(parsing: text), ListenerPolicy())
      } catch {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: error.description)
      }
      return
    }
    let keys = try StrictKeys<Key>(decoder)
    guard let text = try keys.value(.address, String.self) else {
      throw keys.refusal(.address, "is needed: { address: \"127.0.0.1:7311\", trustLocalUsers: true }")
    }
    do throws(SocketAddressError) { address = try SocketAddress(parsing: text) } catch {
      throw keys.refusal(.address, error.description)
    }
    policy = ListenerPolicy(
      trustsLocalUsers: try keys.value(.trustLocalUsers, Bool.self) ?? false,
      takesPlaintext: try keys.value(.plaintext, Bool.self) ?? false)
    if case .unix = address, policy != ListenerPolicy() {
      throw keys.refusal(
        policy.trustsLocalUsers ? .trustLocalUsers : .plaintext,
        "is for TCP; at a Unix socket the kernel tells who the caller is, and unixMode says who may open it")
    }
    if address.isLocal, policy.takesPlaintext {
      throw keys.refusal(.plaintext, "is for addresses that other machines reach")
    }
  }
}

extension ListenSetting {
  /// Whether callers may connect over TLS.
  public var takesTLS: Bool {
    if case .unix = address { return false }
    return !(address.isLocal && policy.trustsLocalUsers)
  }

  /// The setting with the address to which its name leads, where only this machine reaches that; otherwise the setting as it is. Blocks while a name
  /// is looked up.
  var resolvedIfLocal: ListenSetting {
    guard case .name = address, let found = try? address.resolved().first, found.isLocal else { return self }
    return ListenSetting(found, policy: policy)
  }

  /// Whether all callers have to connect over TLS.
  public var requiresTLS: Bool { !address.isLocal && !policy.takesPlaintext }
}
