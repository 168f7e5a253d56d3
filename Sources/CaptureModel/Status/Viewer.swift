/// Somebody who takes frames of a camera now: live video, or photos while the call that takes them runs.
public struct Viewer: Hashable, Sendable {
  /// The camera's identity.
  public var camera: CameraID
  /// What is taken; `nil`: a newer node names a kind that is not known here.
  public var kind: SessionConfiguration.Output.Kind?
  /// The client's name; `nil`: the viewer is no client that was paired or configured.
  public var client: String?
  /// The user of the node's machine: "root", "user 1000"; `nil`: the viewer did not come by the Unix socket.
  public var user: String?
  /// From where: "192.0.2.7:53211", "unix".
  public var address: String
  /// The time since this viewer began, or since the session's output was connected to this camera.
  public var age: Duration
  /// Whether no frames come now, since the viewer's session does not run or the camera is away.
  public var isWaiting: Bool

  public init(
    camera: CameraID, kind: SessionConfiguration.Output.Kind?, client: String? = nil, user: String? = nil,
    address: String, age: Duration, isWaiting: Bool = false
  ) {
    (self.camera, self.kind, self.client, self.user) = (camera, kind, client, user)
    (self.address, self.age, self.isWaiting) = (address, age, isWaiting)
  }
}
