/// The right to change a camera of a node, for a limited time. `Camera.withLock` is the usual way to it.
///
/// The client that acquired the lease can use it on any of its connections, by the token: `RemoteNode.using`. The lease ends with the connection that
/// acquired it or last renewed it, unless it was acquired to outlive its connection.
public struct CameraLease: Hashable, Sendable {
  /// The secret that gives the right. `nil` for another client's lease, from a list.
  public var token: LeaseToken?
  /// The camera's identity.
  public var camera: String
  /// The holder's name, for the messages that others get.
  public var holder: String
  /// The time until its expiry, when the node reported it.
  public var remaining: Duration
  /// Whether it stays when its connection ends.
  public var outlivesConnection: Bool

  public init(
    token: LeaseToken?, camera: String, holder: String, remaining: Duration, outlivesConnection: Bool = false
  ) {
    (self.token, self.camera, self.holder, self.remaining) = (token, camera, holder, remaining)
    self.outlivesConnection = outlivesConnection
  }
}
