import CaptureModel
import CaptureWire

extension CallContext {
  /// The caller's name, for the messages that others get: "client 3 (127.0.0.1:53211)".
  var holder: String { "client \(connectionID) (\(peer))" }

  /// The tokens that came with the call, in its metadata "lease".
  var leaseTokens: [LeaseToken] {
    metadata.filter { $0.key == CallMetadata.leaseKey }.map {
      LeaseToken(rawValue: String(decoding: $0.value, as: UTF8.self), of: owner)
    }
  }
}
