/// A fault of a camera, on demand.
package enum SyntheticFault: Hashable, Sendable {
  /// No frames come for this time.
  case stall(Duration)
  /// The camera goes away for this time. Then there is a new camera with the same identity.
  case unplug(Duration)
  /// The next frames have the driver's error flag; they are dropped and counted.
  case flaggedFrames(Int)
  /// The next frames are lost: their sequence numbers are missing.
  case lostFrames(Int)
  /// The next JPEGs have noise in their middle. Raw frames are not changed.
  case corruptFrames(Int)
  /// The next frames end in their middle.
  case truncatedFrames(Int)
  /// From now on each control call takes this long. With a shorter time, calls that are under way end earlier.
  case slowControls(Duration)
}
