/// Why a sequence paused, and what that means for the elements after the pause. The first of them has it.
public struct Resumption: Hashable, Sendable {
  /// What interrupted a sequence.
  public enum Cause: Hashable, Sendable {
    /// The connection to the node was lost.
    case connectionLost
    /// The camera was unplugged. With events of settings also: its driver did not answer, so that it counted as absent.
    case cameraUnplugged
  }
  /// What interrupted the sequence.
  public var cause: Cause
  /// For a person: "the connection was lost: …".
  public var reason: String
  /// How long no element could come, by this machine's clock; for a session or a watch whose camera was unplugged, how long the node had no camera.
  public var pause: Duration
  /// Whether the node's machine has started anew meanwhile: times of its `CLOCK_MONOTONIC` before and after cannot be compared.
  public var isNewBoot: Bool
  /// Whether the node itself has started anew meanwhile: unnamed sessions are gone, and so are leases.
  public var isNewNode: Bool
  /// How many frames of the camera were missed; `nil` where its stream began anew, or where that cannot be known: fewer than two frames had come, or
  /// the camera's rate changed meanwhile. Only with frames.
  public var missedFrames: UInt64?

  /// Whether the node has set the camera's settings again, from its memory. It does so when the camera comes back, and when the node starts, unless
  /// nobody had set any settings, or the node keeps none (`--state none`). Only with frames and settings events; `nil` elsewhere, or where the node
  /// did not report it.
  public var settingsWereSetAgain: Bool?
  /// Whether the camera's stream began anew, so that its frames have new numbers.
  let streamBeganAnew: Bool

  init(
    _ cause: Cause, reason: String, pause: Duration, isNewBoot: Bool = false, isNewNode: Bool = false,
    settingsWereSetAgain: Bool?, streamBeganAnew: Bool
  ) {
    (self.cause, self.reason, self.pause) = (cause, reason, pause)
    (self.isNewBoot, self.isNewNode) = (isNewBoot, isNewNode)
    (self.settingsWereSetAgain, self.streamBeganAnew) = (settingsWereSetAgain, streamBeganAnew)
  }
}

/// An element of a sequence that goes on after a pause. Members of its value are reached through it.
@dynamicMemberLookup
public struct Resumed<Value: Sendable>: Sendable {
  /// The element.
  public var value: Value
  /// Set on the first element after a pause.
  public var resumption: Resumption?

  public init(_ value: Value, _ resumption: Resumption? = nil) {
    (self.value, self.resumption) = (value, resumption)
  }

  /// A member of the value.
  public subscript<Member>(dynamicMember path: KeyPath<Value, Member>) -> Member { value[keyPath: path] }
}

extension Resumed: Equatable where Value: Equatable {}
extension Resumed: Hashable where Value: Hashable {}
