extension CameraRoster {
  /// A camera came, went, or was there already.
  public struct Event: Hashable, Sendable {
    /// What happened.
    public enum Kind: Hashable, Sendable {
      /// The camera was there when the watch began.
      case present
      /// The camera is there now: for the first time, or again.
      case appeared
      /// The camera was unplugged.
      case vanished
      /// The camera's driver answers in another way than before, or a photo has begun or is over.
      case changed
      /// All `present` changes have been reported. This one has no camera.
      case listed
    }
    /// What happened.
    public var kind: Kind
    /// The camera to which it happened; `nil` with `listed`.
    public var camera: Entry?

    package init(kind: Kind, camera: Entry? = nil) { (self.kind, self.camera) = (kind, camera) }
  }
}
