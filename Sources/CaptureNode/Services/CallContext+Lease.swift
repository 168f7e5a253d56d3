import CaptureEngine
import CaptureModel
import CaptureWire

import class CaptureEngine.Device

extension CallContext {
  /// The caller's name, for the messages that others get: "client 3 (127.0.0.1:53211)".
  var holder: String { "client \(connectionID) (\(peer))" }

  /// The tokens that came with the call, in its metadata "lease".
  var leaseTokens: [LeaseToken] {
    metadata.filter { $0.key == CallMetadata.leaseKey }.map {
      LeaseToken(rawValue: String(decoding: $0.value, as: UTF8.self))
    }
  }
}

extension CaptureEngine {
  /// Runs `body`, which changes `devices`, under the leases whose tokens came with the call. Without a lease it runs while no other client changes
  /// them.
  ///
  /// Every call that changes a camera goes through here, once: a call inside another one would wait for itself. `occupation` ("being calibrated") says
  /// that the call takes long: other calls are refused meanwhile instead of waiting.
  nonisolated(nonsending) func withLease<Value>(
    on devices: [Device], _ context: CallContext, occupation: String? = nil,
    _ body: nonisolated(nonsending) () async throws -> Value
  ) async throws -> Value {
    let claim = LeaseClaim(
      tokens: context.leaseTokens, cameras: devices.map(\.id),
      occupation: occupation.map { LeaseClaim.Occupation($0, holder: context.holder) })
    return try await leases.hold(claim, body)
  }

  /// Does the same for one camera.
  nonisolated(nonsending) func withLease<Value>(
    on device: Device, _ context: CallContext, occupation: String? = nil,
    _ body: nonisolated(nonsending) () async throws -> Value
  ) async throws -> Value {
    try await withLease(on: [device], context, occupation: occupation, body)
  }
}
