/// What can go wrong with a camera, on demand.
package enum SyntheticFault: Hashable, Sendable {
  /// No frames for so long.
  case stall(Duration)
  /// Gone for so long; then there is a new camera under the same identity.
  case unplug(Duration)
  /// The next frames carry the driver's error flag: dropped and counted.
  case flaggedFrames(Int)
  /// The next frames are lost: their sequence numbers are missing.
  case lostFrames(Int)
  /// The next JPEGs have noise in their middle. Nothing happens to raw frames.
  case corruptFrames(Int)
  /// The next frames end in their middle.
  case truncatedFrames(Int)
  /// From now on each control call takes so long.
  case slowControls(Duration)
}
