import CaptureModel
import CaptureWire

/// The right to change a camera of a node, for a while: `AVCaptureDevice.lockForConfiguration`, with an expiry.
///
/// It outlives the connection, and whoever has its token may use it: ``RemoteNode/using(_:)``.
public struct RemoteLease: Hashable, Sendable {
  /// The secret that gives the right. `nil`: another client's, from a list.
  public var token: LeaseToken?
  /// The camera's identity.
  public var camera: String
  /// For the messages that others get.
  public var holder: String
  /// Until its expiry, when the node said so.
  public var remaining: Duration

  public init(token: LeaseToken?, camera: String, holder: String, remaining: Duration) {
    (self.token, self.camera, self.holder, self.remaining) = (token, camera, holder, remaining)
  }

  init(_ message: LeaseInfo) {
    self.init(
      token: message.token.isEmpty ? nil : LeaseToken(rawValue: message.token), camera: message.camera,
      holder: message.holder, remaining: .milliseconds(Int64(message.remainingMs)))
  }
}
