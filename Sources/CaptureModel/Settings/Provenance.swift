/// How a value is known. The cases stand in the order of the contract's numbers; raw values order them by certainty, and are nowhere but here.
public enum Provenance: Int, Hashable, Sendable, CaseIterable, Comparable {
  /// The driver says so: of an automatic value that moves, when it was asked.
  case reported = 0
  /// Measured from this camera's pixels.
  case calibrated = 1
  /// What such cameras usually do, or what was set and cannot be read back; of a frame also an automatic value that the driver told shortly before.
  case assumed = 3
  /// Nobody can know: the camera's own automatic values that its driver does not tell, or did not lately, or one that moves.
  case unknown = 5
  /// Seen in this camera's pictures while it was in use: a delay when the node set something itself, how far a picture is off its target.
  case observed = 2
  /// Follows from other values, by what such values usually mean: the temperature of light whose white balance gains were set or found.
  case derived = 4

  /// By certainty: what the driver reports is least.
  public static func < (a: Provenance, b: Provenance) -> Bool { a.rawValue < b.rawValue }

  /// Known no better than that.
  mutating func weaken(to other: Provenance) { self = max(self, other) }
}

/// A value and how it is known.
public struct Observed<Value: Hashable & Sendable>: Hashable, Sendable {
  public var value: Value
  public var provenance: Provenance

  public init(_ value: Value, _ provenance: Provenance) {
    self.value = value
    self.provenance = provenance
  }
}
