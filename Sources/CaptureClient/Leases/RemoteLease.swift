import CaptureModel
import CaptureWire

/// The right to change a camera of a node, for a while: `AVCaptureDevice.lockForConfiguration`, with an expiry.
///
/// Whoever has its token may use it: ``RemoteNode/using(_:)``. It ends with the connection that acquired it, or renewed it last, unless it was
/// asked to outlive it.
public struct RemoteLease: Hashable, Sendable {
  /// The secret that gives the right. `nil`: another client's, from a list.
  public var token: LeaseToken?
  /// The camera's identity.
  public var camera: String
  /// For the messages that others get.
  public var holder: String
  /// Until its expiry, when the node said so.
  public var remaining: Duration
  /// It stays when its connection ends.
  public var outlivesConnection: Bool

  public init(
    token: LeaseToken?, camera: String, holder: String, remaining: Duration, outlivesConnection: Bool = false
  ) {
    (self.token, self.camera, self.holder, self.remaining) = (token, camera, holder, remaining)
    self.outlivesConnection = outlivesConnection
  }

  init(_ message: LeaseInfo) {
    self.init(
      token: message.token.isEmpty ? nil : LeaseToken(rawValue: message.token), camera: message.camera,
      holder: message.holder, remaining: .milliseconds(Int64(message.remainingMs)),
      outlivesConnection: message.outlivesConnection)
  }
}
